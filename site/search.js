// The search of the site, in place of the theme's own: that one fetches its index, which browsers refuse
// for pages that are opened as files. site/hooks.py puts lunr and INDEX in front of this.
addEventListener("DOMContentLoaded", () => {
  const input = document.getElementById("properdocs-search-query");
  const place = document.getElementById("properdocs-search-results");
  if (!input || !place) return;
  const docs = new Map(INDEX.docs.map((doc) => [doc.location, doc]));
  const index = lunr(function () {
    this.ref("location");
    this.field("title", { boost: 10 });
    this.field("text");
    for (const doc of INDEX.docs) this.add(doc);
  });
  const search = () => {
    const words = input.value.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
    const found = words.length ? index.query((query) => words.forEach((word) => {
      query.term(lunr.tokenizer(word), { boost: 10 });
      query.term(word, { wildcard: lunr.Query.wildcard.TRAILING });
    })) : [];
    place.replaceChildren(...found.slice(0, 30).map(({ ref }) => {
      const { title, text } = docs.get(ref);
      const article = document.createElement("article"), link = document.createElement("a"), about = document.createElement("p");
      Object.assign(link, { href: `${base_url}/${ref}`, textContent: title });
      about.textContent = text.slice(0, 200);
      article.append(link, about);
      return article;
    }));
    if (!found.length) place.textContent = "Nothing found.";
  };
  input.addEventListener("input", search);
  input.value = new URLSearchParams(location.search).get("q") ?? "";
  search();
});
