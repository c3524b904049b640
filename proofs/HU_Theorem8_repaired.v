(* HU, Theorem 8 repaired: with Laplace noise of scale 1/rate, RNM-FTNL is 2 rate-DP, for every
   number of arms and every horizon; so Lap(2/eps) makes it eps-DP, and the printed Lap(1/eps) 2
   eps-DP. *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From DPBandits Require Import Definitions Sums Laplace HU_Theorem8.
Import ListNotations.
Open Scope R_scope.

(* --- improper integrals of nonnegative continuous functions ----------------------------------- *)

Definition good (g : R -> R) : Prop := (forall x, continuous g x) /\ (forall x, 0 <= g x).

Lemma good_integrable g a b : good g -> ex_RInt g a b.
Proof. intros [Hc _]. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). auto. Qed.

Lemma wider g a b a' b' : good g -> a' <= a -> a <= b -> b <= b' -> RInt g a b <= RInt g a' b'.
Proof.
  intros Hg H1 H2 H3.
  assert (E1 := RInt_Chasles g a' a b (good_integrable g _ _ Hg) (good_integrable g _ _ Hg)).
  assert (E2 := RInt_Chasles g a' b b' (good_integrable g _ _ Hg) (good_integrable g _ _ Hg)).
  assert (N1 : 0 <= RInt g a' a) by (apply RInt_ge_0; auto; [now apply good_integrable|];
    intros; apply Hg).
  assert (N2 : 0 <= RInt g b b') by (apply RInt_ge_0; auto; [now apply good_integrable|];
    intros; apply Hg).
  unfold plus in E1, E2; simpl in E1, E2. lra.
Qed.

(* The improper integral is the supremum of the proper ones. *)
Definition proper_integrals (g : R -> R) (v : R) : Prop := exists a b, a <= b /\ v = RInt g a b.

Lemma improper_is_supremum g bound : good g -> (forall n, 0 <= n -> RInt g (- n) n <= bound) ->
  is_lub (proper_integrals g)
    (RInt_gen g (Rbar_locally m_infty) (Rbar_locally p_infty)).
Proof.
  intros Hg Hb.
  assert (Hall : forall a b, a <= b -> RInt g a b <= bound).
  { intros a b Hab. set (n := Rmax (- a) (Rmax b 0)).
    assert (- a <= n) by apply Rmax_l. assert (Rmax b 0 <= n) by apply Rmax_r.
    assert (b <= Rmax b 0) by apply Rmax_l. assert (0 <= Rmax b 0) by apply Rmax_r.
    apply Rle_trans with (2 := Hb n ltac:(lra)). apply wider; auto; lra. }
  destruct (completeness (proper_integrals g)) as [l Hl].
  - exists bound. intros v (a & b & Hab & ->). auto.
  - exists (RInt g 0 0). exists 0, 0. split; [lra|reflexivity].
  - replace (RInt_gen g _ _) with l; [exact Hl|]. symmetry. apply is_RInt_gen_unique.
    intros P [e HP].
    assert (exists a0 b0, a0 <= b0 /\ l - e < RInt g a0 b0) as (a0 & b0 & H0 & Hlarge).
    { apply Classical_Prop.NNPP. intros Hnot.
      assert (l <= l - e); [|destruct e; simpl in *; lra]. apply (proj2 Hl).
      intros v (a & b & Hab & ->). apply Rnot_lt_le. intros Hlt. apply Hnot. now exists a, b. }
    apply Filter_prod with (Q := fun a => a < a0) (R := fun b => b0 < b).
    + now exists a0.
    + now exists b0.
    + intros a b Ha Hb'. simpl. exists (RInt g a b). split.
      * apply (RInt_correct (V := R_CompleteNormedModule)). now apply good_integrable.
      * apply HP. change (Rabs (RInt g a b - l) < e).
        assert (RInt g a0 b0 <= RInt g a b) by (apply wider; auto; lra).
        assert (RInt g a b <= l) by (apply (proj1 Hl); exists a, b; split; [lra|reflexivity]).
        apply Rabs_lt_between. lra.
Qed.

(* --- the winner's density --------------------------------------------------------------------- *)

Lemma laplace_continuous rate x : continuous (laplace rate) x.
Proof.
  unfold laplace. apply (continuous_scal_r (V := R_NormedModule) (rate / 2)).
  apply continuous_comp with (f := fun y => - (rate * Rabs y)) (g := exp).
  - apply (continuous_opp (V := R_NormedModule)), (continuous_scal_r (V := R_NormedModule) rate).
    apply continuous_Rabs.
  - apply (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule)). auto_derive. exact I.
Qed.

Lemma cdf_as_smooth_pieces rate x : 0 < rate ->
  laplace_cdf rate x
  = 1 / 2 * (exp (rate / 2 * (x - Rabs x)) + (1 - exp (- (rate / 2 * (x + Rabs x))))).
Proof.
  intros Hr. destruct (Rle_dec x 0) as [Hx|Hx].
  - rewrite cdf_left, Rabs_left1 by assumption.
    replace (rate / 2 * (x - - x)) with (rate * x) by field.
    replace (- (rate / 2 * (x + - x))) with 0 by ring. rewrite exp_0. field.
  - rewrite cdf_right, Rabs_right by lra.
    replace (rate / 2 * (x - x)) with 0 by ring. rewrite exp_0.
    replace (- (rate / 2 * (x + x))) with (- (rate * x)) by field. field.
Qed.

Lemma cdf_continuous rate x : 0 < rate -> continuous (laplace_cdf rate) x.
Proof.
  intros Hr. eapply continuous_ext; [intros y; symmetry; now apply cdf_as_smooth_pieces|].
  apply (continuous_scal_r (V := R_NormedModule) (1 / 2)).
  assert (Hexp : forall z, continuous exp z).
  { intros z. apply (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule)).
    auto_derive. exact I. }
  apply (continuous_plus (V := R_NormedModule)).
  - apply continuous_comp with (f := fun y => rate / 2 * (y - Rabs y)) (g := exp); [|apply Hexp].
    apply (continuous_scal_r (V := R_NormedModule) (rate / 2)).
    apply (continuous_minus (V := R_NormedModule)); [apply continuous_id|apply continuous_Rabs].
  - apply (continuous_minus (V := R_NormedModule)); [apply continuous_const|].
    apply continuous_comp with (f := fun y => - (rate / 2 * (y + Rabs y))) (g := exp); [|apply
      Hexp].
    apply (continuous_opp (V := R_NormedModule)), (continuous_scal_r (V := R_NormedModule) (rate /
      2)).
    apply (continuous_plus (V := R_NormedModule)); [apply continuous_id|apply continuous_Rabs].
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; now apply exp_increasing|right; reflexivity]. Qed.

Lemma cdf_range rate x : 0 < rate -> 0 <= laplace_cdf rate x <= 1.
Proof.
  intros Hr. destruct (Rle_dec x 0) as [Hx|Hx].
  - rewrite cdf_left by assumption. assert (0 < exp (rate * x)) by apply exp_pos.
    assert (exp (rate * x) <= exp 0) by (apply exp_le; nra). rewrite exp_0 in *. lra.
  - rewrite cdf_right by lra. assert (0 < exp (- (rate * x))) by apply exp_pos.
    assert (exp (- (rate * x)) <= exp 0) by (apply exp_le; nra). rewrite exp_0 in *. lra.
Qed.

Lemma cdf_increasing rate x y : 0 < rate -> x <= y -> laplace_cdf rate x <= laplace_cdf rate y.
Proof.
  intros Hr H. rewrite !cdf_as_smooth_pieces by assumption.
  assert (H1 : exp (rate / 2 * (x - Rabs x)) <= exp (rate / 2 * (y - Rabs y))).
  { apply exp_le, Rmult_le_compat_l; [lra|]. unfold Rabs; destruct Rcase_abs, Rcase_abs; lra. }
  assert (H2 : exp (- (rate / 2 * (y + Rabs y))) <= exp (- (rate / 2 * (x + Rabs x)))).
  { apply exp_le, Ropp_le_contravar, Rmult_le_compat_l; [lra|].
    unfold Rabs; destruct Rcase_abs, Rcase_abs; lra. }
  lra.
Qed.

Lemma laplace_nonneg rate x : 0 < rate -> 0 <= laplace rate x.
Proof. intros H. unfold laplace. apply Rmult_le_pos; [lra|left; apply exp_pos]. Qed.

Lemma laplace_shift rate x s : 0 < rate ->
  laplace rate x <= exp (rate * Rabs s) * laplace rate (x + s).
Proof.
  intros Hr. unfold laplace.
  replace (exp (rate * Rabs s) * (rate / 2 * exp (- (rate * Rabs (x + s)))))
    with (rate / 2 * exp (rate * Rabs s + - (rate * Rabs (x + s)))) by (rewrite exp_plus; ring).
  apply Rmult_le_compat_l; [lra|]. apply exp_le.
  assert (H := Rabs_triang x s). nra.
Qed.

Lemma product_range l f : (forall k, 0 <= f k <= 1) -> 0 <= product l f <= 1.
Proof.
  intros H. induction l as [|k l IH]; simpl; [lra|]. destruct (H k). split; [nra|].
  apply Rle_trans with (1 * product l f); [apply Rmult_le_compat_r; lra|lra].
Qed.

Lemma product_le l f g : (forall k, 0 <= f k <= g k) -> 0 <= product l f <= product l g.
Proof.
  intros H. induction l as [|k l IH]; simpl; [lra|]. destruct (H k). split; [nra|].
  apply Rmult_le_compat; lra.
Qed.

Lemma product_continuous l (f : nat -> R -> R) x :
  (forall k, continuous (f k) x) -> continuous (fun y => product l (fun k => f k y)) x.
Proof.
  intros H. induction l as [|k l IH]; simpl; [apply continuous_const|].
  now apply (continuous_mult (K := R_AbsRing)).
Qed.

Lemma wins_density_good rate K score j : 0 < rate -> good (wins_density rate K score j).
Proof.
  intros Hr. split; intros x.
  - apply (continuous_mult (K := R_AbsRing)); [apply laplace_continuous|].
    apply (product_continuous _ (fun k y => laplace_cdf rate (y + (score j - score k)))).
    intros k. apply continuous_comp with (f := fun y => y + (score j - score k)).
    + apply (continuous_plus (V := R_NormedModule)); [apply continuous_id|apply continuous_const].
    + now apply cdf_continuous.
  - apply Rmult_le_pos; [now apply laplace_nonneg|].
    apply product_range. intros k. now apply cdf_range.
Qed.

Lemma wins_density_bounded rate K score j n : 0 < rate -> 0 <= n ->
  RInt (wins_density rate K score j) (- n) n <= 1.
Proof.
  intros Hr Hn.
  assert (HI : is_RInt (laplace rate) (- n) n
    ((exp (rate * 0 + 0) / 2 - exp (rate * - n + 0) / 2)
     + (- (exp (- rate * n + 0) / 2) - - (exp (- rate * 0 + 0) / 2)))).
  { apply (is_RInt_Chasles (V := R_CompleteNormedModule)) with 0;
      [apply left_piece|apply right_piece]; lra. }
  apply Rle_trans with (RInt (laplace rate) (- n) n).
  - apply RInt_le; [lra|apply good_integrable, wins_density_good; assumption|eexists; exact HI|].
    intros x _. unfold wins_density. rewrite <- (Rmult_1_r (laplace rate x)) at 2.
    apply Rmult_le_compat_l; [now apply laplace_nonneg|].
    apply product_range. intros k. now apply cdf_range.
  - rewrite (is_RInt_unique _ _ _ _ HI), !Rmult_0_r, !Rplus_0_r, exp_0.
    assert (0 < exp (rate * - n)) by apply exp_pos. assert (0 < exp (- rate * n)) by apply exp_pos.
    lra.
Qed.

Lemma wins_supremum rate K score j : 0 < rate ->
  is_lub (proper_integrals (wins_density rate K score j)) (wins rate K score j).
Proof.
  intros Hr. apply improper_is_supremum with 1; [now apply wins_density_good|].
  intros n Hn. now apply wins_density_bounded.
Qed.

Lemma wins_nonneg rate K score j : 0 < rate -> 0 <= wins rate K score j.
Proof.
  intros Hr. apply (proj1 (wins_supremum rate K score j Hr)). exists 0, 0.
  split; [lra|]. now rewrite RInt_point.
Qed.

(* Scores that move by at most 1 each: a rival gains at most 2 on arm j. *)
Lemma wins_close rate K score score' j : 0 < rate ->
  (forall k, Rabs (score k - score' k) <= 1) ->
  wins rate K score j <= exp (2 * rate) * wins rate K score' j.
Proof.
  intros Hr H. apply (proj2 (wins_supremum rate K score j Hr)). intros v (a & b & Hab & ->).
  set (g := wins_density rate K score j). set (g' := wins_density rate K score' j).
  assert (Hg : good g) by now apply wins_density_good.
  assert (Hg' : good g') by now apply wins_density_good.
  assert (Hshift : RInt (fun x => 1 * g' (1 * x + 2)) a b = RInt g' (1 * a + 2) (1 * b + 2)).
  { apply (RInt_comp_lin (V := R_CompleteNormedModule) g' 1 2 a b). now apply good_integrable. }
  apply Rle_trans with (exp (2 * rate) * RInt (fun x => 1 * g' (1 * x + 2)) a b).
  - rewrite <- (RInt_scal (V := R_CompleteNormedModule)).
    2: { apply (ex_RInt_comp_lin (V := R_CompleteNormedModule) g' 1 2). now apply good_integrable. }
    apply RInt_le; [assumption|now apply good_integrable| |].
    { apply (ex_RInt_scal (V := R_CompleteNormedModule)).
      apply (ex_RInt_comp_lin (V := R_CompleteNormedModule) g' 1 2). now apply good_integrable. }
    intros x _. unfold g, g', wins_density, scal; simpl; unfold mult; simpl.
    rewrite !Rmult_1_l, <- Rmult_assoc. apply Rmult_le_compat.
    + now apply laplace_nonneg.
    + apply product_range. intros k. now apply cdf_range.
    + assert (S := laplace_shift rate x 2 Hr). rewrite (Rabs_right 2) in S by lra.
      now rewrite (Rmult_comm 2 rate).
    + apply product_le. intros k. split; [now apply cdf_range|].
    apply cdf_increasing; [assumption|].
      assert (Hj := Rabs_def2_le _ _ (H j)). assert (Hk := Rabs_def2_le _ _ (H k)). lra.
  - apply Rmult_le_compat_l; [left; apply exp_pos|]. rewrite Hshift.
    apply (proj1 (wins_supremum rate K score' j Hr)). exists (1 * a + 2), (1 * b + 2).
    split; [lra|reflexivity].
Qed.

(* --- the decisions ---------------------------------------------------------------------------- *)

Lemma gain_same (X X' : rewards) s r j :
  (forall t, t <> s -> forall k, X t k = X' t k) -> (s < 2 ^ r \/ 2 ^ r + 2 ^ r <= s)%nat ->
  gain X r j = gain X' r j.
Proof.
  intros H Hs. apply sum_ext. intros t Ht. apply in_seq in Ht. apply H. lia.
Qed.

Lemma gain_close (X X' : rewards) s r j : bits X -> bits X' ->
  (forall t, t <> s -> forall k, X t k = X' t k) -> Rabs (gain X r j - gain X' r j) <= 1.
Proof.
  intros HX HX' H. unfold gain. assert (Hnd := seq_NoDup (2 ^ r) (2 ^ r)).
  induction (seq (2 ^ r) (2 ^ r)) as [|t l IH]; simpl; [rewrite Rminus_eq_0, Rabs_R0; lra|].
  inversion Hnd as [|? ? Hnot Hnd']; subst. destruct (Nat.eq_dec t s) as [->|Hne].
  - rewrite (sum_ext l (fun t => X t j) (fun t => X' t j)).
    + replace (_ - _) with (X s j - X' s j) by ring.
      destruct (HX s j) as [-> | ->], (HX' s j) as [-> | ->];
        unfold Rabs; destruct Rcase_abs; lra.
    + intros t Ht. apply H. intros ->. contradiction.
  - rewrite (H t Hne). replace (_ - _)
      with (sum l (fun t => X t j) - sum l (fun t => X' t j)) by ring. now apply IH.
Qed.

Lemma leaders_nonneg rate K X leaders : 0 < rate ->
  forall r, 0 <= leaders_from rate K X r leaders.
Proof.
  intros Hr. induction leaders as [|j later IH]; intros r; simpl; [lra|].
  apply Rmult_le_pos; [now apply wins_nonneg|apply IH].
Qed.

Lemma leaders_close rate K X X' s : 0 < rate -> bits X -> bits X' ->
  (forall t, t <> s -> forall k, X t k = X' t k) ->
  forall leaders r,
    leaders_from rate K X r leaders <= exp (2 * rate) * leaders_from rate K X' r leaders /\
    ((s < 2 ^ r)%nat -> leaders_from rate K X r leaders = leaders_from rate K X' r leaders).
Proof.
  intros Hr HX HX' H. assert (He : 1 <= exp (2 * rate)) by
    (assert (H1 := exp_ineq1_le (2 * rate)); lra).
  induction leaders as [|j later IH]; intros r; simpl; [split; [lra|reflexivity]|].
  destruct (IH (S r)) as [IH1 IH2]. simpl Nat.pow in IH2.
  assert (N := leaders_nonneg rate K X' later Hr (S r)).
  assert (same : (s < 2 ^ r \/ 2 ^ r + 2 ^ r <= s)%nat -> gain X r = gain X' r).
  { intros Hs. extensionality k. now apply gain_same with s. }
  destruct (le_lt_dec (2 ^ r + 2 ^ r) s) as [Hs|Hs]; [|destruct (le_lt_dec (2 ^ r) s) as [Hs'|Hs']].
  - rewrite same by now right. split; [|lia].
    assert (Hw := wins_nonneg rate K (gain X' r) j Hr).
    replace (exp (2 * rate) * (wins rate K (gain X' r) j * leaders_from rate K X' (S r) later))
      with (wins rate K (gain X' r) j * (exp (2 * rate) * leaders_from rate K X' (S r) later)) by
        ring.
    now apply Rmult_le_compat_l.
  - rewrite IH2 by lia. split; [|lia]. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [assumption|]. apply wins_close; [assumption|].
    intros k. now apply gain_close with s.
  - rewrite same, IH2 by lia. split; [|reflexivity].
    assert (0 <= wins rate K (gain X' r) j * leaders_from rate K X' (S r) later)
      by (apply Rmult_le_pos; [now apply wins_nonneg|assumption]). nra.
Qed.

Lemma rnm_ftnl_private_at rate K epochs : 0 < rate -> rnm_ftnl_private rate K epochs (2 * rate).
Proof.
  intros Hr X X' HX HX' (s & H) event. rewrite Rplus_0_r. apply prob_le_scaled.
  intros leaders _. now apply (leaders_close rate K X X' s).
Qed.

(* claim: HU-T8 | printed | repairs
   With noise Lap(2/ε) in place of Lap(1/ε), RNM-FTNL is ε-DP; with the printed noise it is
   2 ε-DP. For every number of arms and every horizon. *)
Theorem HU_T8_repaired :
  forall eps K epochs, 0 < eps ->
    rnm_ftnl_private (eps / 2) K epochs eps /\ rnm_ftnl_private eps K epochs (2 * eps).
Proof.
  intros eps K epochs H. split; [|now apply rnm_ftnl_private_at].
  replace eps with (2 * (eps / 2)) at 2 by field. apply rnm_ftnl_private_at. lra.
Qed.
