(* na-imed, our own algorithm (docs/proofs/OURS.md): Lemmas 1 and 2, on the density of a noisy sum
   of b rewards, Bin(b, mu) plus Laplace noise of rate eps. *)
From Coq Require Import Reals Arith Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* E a(j + S), S ~ Bin(b, mu), one reward after the other *)
Fixpoint binomial_mean (b : nat) (a : nat -> R) (mu : R) (j : nat) : R :=
  match b with
  | O => a j
  | S c => (1 - mu) * binomial_mean c a mu j + mu * binomial_mean c a mu (S j)
  end.

(* What the noise makes of the sum s at the release x, up to eps/2 *)
Definition noise (eps x : R) (s : nat) : R := exp (- (eps * Rabs (x - INR s))).

(* The density at x, up to eps/2 *)
Definition density (eps x : R) (b : nat) (mu : R) : R := binomial_mean b (noise eps x) mu 0.

(* --- proofs ----------------------------------------------------------------------------------- *)

Definition log_concave (s : nat -> R) : Prop := forall j, s j * s (S (S j)) <= s (S j) * s (S j).

Lemma mean_positive b a mu : 0 <= mu <= 1 -> (forall j, 0 < a j) ->
  forall j, 0 < binomial_mean b a mu j.
Proof.
  intros Hmu Ha. induction b as [|b IH]; intros j; simpl; [apply Ha|].
  assert (H0 := IH j). assert (H1 := IH (S j)).
  destruct (Req_dec mu 0) as [->|Hm]; [lra|].
  assert (0 < mu * binomial_mean b a mu (S j)) by (apply Rmult_lt_0_compat; lra).
  assert (0 <= (1 - mu) * binomial_mean b a mu j) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma outer_terms s0 s1 s2 s3 : 0 < s0 -> 0 < s1 -> 0 < s2 -> 0 < s3 ->
  s0 * s2 <= s1 * s1 -> s1 * s3 <= s2 * s2 -> s0 * s3 <= s1 * s2.
Proof.
  intros H0 H1 H2 H3 H4 H5. apply Rmult_le_reg_r with (s1 * s2); [now apply Rmult_lt_0_compat|].
  replace (s0 * s3 * (s1 * s2)) with ((s0 * s2) * (s1 * s3)) by ring.
  replace (s1 * s2 * (s1 * s2)) with ((s1 * s1) * (s2 * s2)) by ring.
  apply Rmult_le_compat; try assumption; left; now apply Rmult_lt_0_compat.
Qed.

Lemma mean_log_concave b a mu : 0 <= mu <= 1 -> (forall j, 0 < a j) -> log_concave a ->
  log_concave (binomial_mean b a mu).
Proof.
  intros Hmu Ha Hlc. induction b as [|b IH]; [exact Hlc|]. intros j. simpl.
  assert (P := mean_positive b a mu Hmu Ha).
  assert (Hj := IH j). assert (Hk := IH (S j)).
  assert (Ho := outer_terms _ _ _ _ (P j) (P (S j)) (P (S (S j))) (P (S (S (S j)))) Hj Hk).
  set (s0 := binomial_mean b a mu j) in *. set (s1 := binomial_mean b a mu (S j)) in *.
  set (s2 := binomial_mean b a mu (S (S j))) in *.
  set (s3 := binomial_mean b a mu (S (S (S j)))) in *.
  assert (0 <= (1 - mu) * (1 - mu) * (s1 * s1 - s0 * s2)) by (apply Rmult_le_pos; nra).
  assert (0 <= mu * mu * (s2 * s2 - s1 * s3)) by (apply Rmult_le_pos; nra).
  assert (0 <= (1 - mu) * mu * (s1 * s2 - s0 * s3)) by (apply Rmult_le_pos; nra).
  nra.
Qed.

Lemma noise_positive eps x s : 0 < noise eps x s.
Proof. apply exp_pos. Qed.

Lemma noise_log_concave eps x : 0 < eps -> log_concave (noise eps x).
Proof.
  intros He j. unfold noise. rewrite <- !exp_plus, !S_INR.
  assert (H : 2 * Rabs (x - (INR j + 1)) <= Rabs (x - INR j) + Rabs (x - (INR j + 1 + 1))).
  { unfold Rabs. repeat destruct Rcase_abs; lra. }
  assert (Hm := Rmult_le_compat_l eps _ _ (Rlt_le _ _ He) H).
  destruct (Rle_lt_or_eq_dec (- (eps * Rabs (x - INR j)) + - (eps * Rabs (x - (INR j + 1 + 1))))
    (- (eps * Rabs (x - (INR j + 1))) + - (eps * Rabs (x - (INR j + 1))))) as [Hlt|Heq].
  - lra.
  - left. now apply exp_increasing.
  - rewrite Heq. apply Rle_refl.
Qed.

(* d/dmu E a(S) = b E (a(S' + 1) - a(S')), S' of b - 1 rewards *)
Lemma mean_derivative b a mu : forall j,
  is_derive (fun m => binomial_mean (S b) a m j) mu
    (INR (S b) * (binomial_mean b a mu (S j) - binomial_mean b a mu j)).
Proof.
  induction b as [|b IH]; intros j.
  - simpl. auto_derive; [trivial|ring].
  - apply is_derive_ext with (fun m =>
      plus (mult (1 - m) (binomial_mean (S b) a m j)) (mult m (binomial_mean (S b) a m (S j)))).
    { intros m. reflexivity. }
    replace (INR (S (S b)) * (binomial_mean (S b) a mu (S j) - binomial_mean (S b) a mu j)) with
      (plus (plus (mult (-1) (binomial_mean (S b) a mu j))
                  (mult (1 - mu) (INR (S b) * (binomial_mean b a mu (S j) - binomial_mean b a mu j))))
            (plus (mult 1 (binomial_mean (S b) a mu (S j)))
                  (mult mu (INR (S b)
                    * (binomial_mean b a mu (S (S j)) - binomial_mean b a mu (S j)))))).
    + apply (is_derive_plus (V := R_NormedModule)).
      * apply (is_derive_mult (K := R_AbsRing)); [auto_derive; [trivial|ring]|apply IH|].
        intros; apply Rmult_comm.
      * apply (is_derive_mult (K := R_AbsRing)); [auto_derive; [trivial|ring]|apply IH|].
        intros; apply Rmult_comm.
    + rewrite (S_INR (S b)). simpl binomial_mean. unfold plus, mult; simpl. ring.
Qed.

(* The discriminant identity *)
Lemma discriminant b t A0 A1 A2 : b <> 0 ->
  (1 - 1 / b) * (b * (((1 - t) * A1 + t * A2) - ((1 - t) * A0 + t * A1))) ^ 2
  - ((1 - t) * ((1 - t) * A0 + t * A1) + t * ((1 - t) * A1 + t * A2))
    * (b * (b - 1) * (A2 - 2 * A1 + A0))
  = b * (b - 1) * (A1 * A1 - A0 * A2).
Proof. intros Hb. field. exact Hb. Qed.

(* claim: OURS-T2 | printed | part
   Lemma 1 of docs/proofs/OURS.md: the density p of Bin(b, μ) + Lap(1/ε), b ≥ 2, at any x has
   p p'' ≤ (1 - 1/b) p'² in μ, by the discriminant identity; so p^(1/b) is concave in μ. *)
Theorem HU_na_imed_root_concave : forall eps x c mu, 0 < eps -> 0 <= mu <= 1 ->
  let b := S (S c) in
  exists first second : R -> R,
    (forall m, is_derive (density eps x b) m (first m)) /\
    (forall m, is_derive first m (second m)) /\
    density eps x b mu * second mu <= (1 - 1 / INR b) * first mu ^ 2.
Proof.
  intros eps x c mu He Hmu b. set (a := noise eps x).
  exists (fun m => INR b * (binomial_mean (S c) a m 1 - binomial_mean (S c) a m 0)).
  exists (fun m => INR b * (INR (S c) * (binomial_mean c a m 2 - 2 * binomial_mean c a m 1
                                         + binomial_mean c a m 0))).
  split; [|split].
  - intros m. apply (mean_derivative (S c) a m 0).
  - intros m. apply is_derive_ext with (fun y => scal (INR b)
      (minus (binomial_mean (S c) a y 1) (binomial_mean (S c) a y 0))).
    { intros y. reflexivity. }
    replace (INR b * (INR (S c) * (binomial_mean c a m 2 - 2 * binomial_mean c a m 1
                                   + binomial_mean c a m 0))) with
      (scal (INR b) (minus (INR (S c) * (binomial_mean c a m 2 - binomial_mean c a m 1))
                           (INR (S c) * (binomial_mean c a m 1 - binomial_mean c a m 0)))).
    + apply is_derive_scal.
      apply (is_derive_minus (V := R_NormedModule)).
      * apply (mean_derivative c a m 1).
      * apply (mean_derivative c a m 0).
    + unfold scal, minus, plus, opp; simpl. unfold mult; simpl. ring.
  - assert (Hb : INR b <> 0) by (apply not_0_INR; unfold b; lia).
    assert (Hc : INR (S c) = INR b - 1) by (unfold b; rewrite (S_INR (S c)); ring).
    assert (Hi := discriminant (INR b) mu (binomial_mean c a mu 0) (binomial_mean c a mu 1)
      (binomial_mean c a mu 2) Hb).
    assert (Hl := mean_log_concave c a mu Hmu (noise_positive eps x)
      (noise_log_concave eps x He) 0%nat).
    assert (0 <= INR b) by apply pos_INR. assert (0 <= INR (S c)) by apply pos_INR.
    assert (0 <= INR b * (INR b - 1) * (binomial_mean c a mu 1 * binomial_mean c a mu 1
      - binomial_mean c a mu 0 * binomial_mean c a mu 2)).
    { rewrite <- Hc. apply Rmult_le_pos; [now apply Rmult_le_pos|lra]. }
    unfold density. fold a. simpl binomial_mean. rewrite Hc.
    unfold b in *. simpl binomial_mean in *. lra.
Qed.

(* --- the monotone likelihood ratio ------------------------------------------------------------ *)

Definition ratio_rises (f g : nat -> R) : Prop := forall j k, (j <= k)%nat ->
  g j * f k <= g k * f j.

Lemma mean_ratio b f g mu : 0 <= mu <= 1 -> ratio_rises f g ->
  ratio_rises (binomial_mean b f mu) (binomial_mean b g mu).
Proof.
  intros Hmu H. induction b as [|b IH]; [exact H|]. intros j k Hjk. simpl.
  destruct (Nat.eq_dec j k) as [->|Hne]; [lra|].
  assert (H1 := IH j k Hjk). assert (H2 := IH (S j) (S k) ltac:(lia)).
  assert (H3 := IH j (S k) ltac:(lia)). assert (H4 := IH (S j) k ltac:(lia)).
  set (f0 := binomial_mean b f mu j) in *. set (f1 := binomial_mean b f mu (S j)) in *.
  set (f2 := binomial_mean b f mu k) in *. set (f3 := binomial_mean b f mu (S k)) in *.
  set (g0 := binomial_mean b g mu j) in *. set (g1 := binomial_mean b g mu (S j)) in *.
  set (g2 := binomial_mean b g mu k) in *. set (g3 := binomial_mean b g mu (S k)) in *.
  assert (0 <= (1 - mu) * (1 - mu) * (g2 * f0 - g0 * f2)) by (apply Rmult_le_pos; nra).
  assert (0 <= mu * mu * (g3 * f1 - g1 * f3)) by (apply Rmult_le_pos; nra).
  assert (0 <= (1 - mu) * mu * (g3 * f0 - g0 * f3)) by (apply Rmult_le_pos; nra).
  assert (0 <= (1 - mu) * mu * (g2 * f1 - g1 * f2)) by (apply Rmult_le_pos; nra).
  nra.
Qed.

Lemma noise_ratio eps x y : 0 < eps -> x <= y -> ratio_rises (noise eps x) (noise eps y).
Proof.
  intros He Hxy j k Hjk. unfold noise. rewrite <- !exp_plus.
  assert (Hn : INR j <= INR k) by now apply le_INR.
  assert (H : Rabs (y - INR k) + Rabs (x - INR j) <= Rabs (y - INR j) + Rabs (x - INR k)).
  { unfold Rabs. repeat destruct Rcase_abs; lra. }
  assert (Hm := Rmult_le_compat_l eps _ _ (Rlt_le _ _ He) H).
  destruct (Rle_lt_or_eq_dec (- (eps * Rabs (y - INR j)) + - (eps * Rabs (x - INR k)))
    (- (eps * Rabs (y - INR k)) + - (eps * Rabs (x - INR j)))) as [Hlt|Heq].
  - lra.
  - left. now apply exp_increasing.
  - rewrite Heq. apply Rle_refl.
Qed.

(* claim: OURS-T2 | printed | part
   Lemma 2 of docs/proofs/OURS.md: for means h ≤ μ and releases x ≤ y of b rewards,
   p_μ(x)/p_h(x) ≤ p_μ(y)/p_h(y), p the density of Bin(b, ·) + Lap(1/ε). *)
Theorem HU_na_imed_monotone_ratio : forall eps b h mu x y,
  0 < eps -> 0 <= h -> h <= mu -> mu <= 1 -> x <= y ->
  density eps x b mu / density eps x b h <= density eps y b mu / density eps y b h.
Proof.
  intros eps b h mu x y He Hh Hhm Hmu Hxy.
  assert (P : forall z m, 0 <= m <= 1 -> 0 < density eps z b m).
  { intros z m Hm. apply mean_positive; [exact Hm|apply noise_positive]. }
  assert (Rise : density eps y b h / density eps x b h <= density eps y b mu / density eps x b mu).
  { destruct b as [|b]; [unfold density; simpl; lra|].
    set (F := density eps x (S b)) in *. set (G := density eps y (S b)) in *.
    set (f := fun m j => binomial_mean b (noise eps x) m j).
    set (g := fun m j => binomial_mean b (noise eps y) m j).
    set (df := fun m => INR (S b) * (f m 1%nat - f m 0%nat)).
    set (dg := fun m => INR (S b) * (g m 1%nat - g m 0%nat)).
    set (dr := fun m => (dg m * F m - df m * G m) / (F m * F m)).
    assert (Hd : forall m, 0 <= m <= 1 -> is_derive (fun m => G m / F m) m (dr m)).
    { intros m Hm. assert (Hp : 0 < F m) by (apply P; lra).
      assert (HF : is_derive F m (df m)) by apply (mean_derivative b (noise eps x) m 0).
      assert (HG : is_derive G m (dg m)) by apply (mean_derivative b (noise eps y) m 0).
      replace (dr m) with ((dg m * F m - G m * df m) / F m ^ 2) by (unfold dr; field; lra).
      apply is_derive_div; [exact HG|exact HF|lra]. }
    assert (Hs : forall m, 0 <= m <= 1 -> 0 <= dr m).
    { intros m Hm. assert (Hp : 0 < F m) by (apply P; lra).
      apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat].
      assert (Hr := mean_ratio b _ _ m Hm (noise_ratio eps x y He Hxy) 0%nat 1%nat ltac:(lia)).
      replace (dg m * F m - df m * G m) with
        (INR (S b) * (g m 1%nat * f m 0%nat - g m 0%nat * f m 1%nat)).
      - apply Rmult_le_pos; [apply pos_INR|]. unfold f, g. lra.
      - unfold df, dg, F, G, density, f, g. simpl binomial_mean. ring. }
    destruct (MVT_gen (fun m => G m / F m) h mu dr) as (m & Hm & Hv).
    - intros m Hm. apply Hd. rewrite Rmin_left, Rmax_right in Hm by lra. lra.
    - intros m Hm. rewrite Rmin_left, Rmax_right in Hm by lra.
      apply continuity_pt_filterlim. apply (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule) (fun m => G m / F m)).
      exists (dr m). apply Hd. lra.
    - rewrite Rmin_left, Rmax_right in Hm by lra.
      assert (0 <= dr m * (mu - h)) by (apply Rmult_le_pos; [apply Hs|]; lra). lra. }
  assert (Px := P x h ltac:(lra)). assert (Py := P y h ltac:(lra)).
  assert (Qx := P x mu ltac:(lra)). assert (Qy := P y mu ltac:(lra)).
  set (a := density eps x b mu) in *. set (c := density eps x b h) in *.
  set (d := density eps y b mu) in *. set (e := density eps y b h) in *.
  apply Rmult_le_reg_r with (c * e / a).
  { apply Rdiv_lt_0_compat; [now apply Rmult_lt_0_compat|assumption]. }
  replace (a / c * (c * e / a)) with (e / c * c) by (field; lra).
  replace (d / e * (c * e / a)) with (d / a * c) by (field; lra).
  apply Rmult_le_compat_r; lra.
Qed.
