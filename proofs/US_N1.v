(* US, the threshold N1bar of Lemmas 4.4 and 6.1. *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz.
From DPBandits Require Import Definitions Sums.
Import ListNotations.
Open Scope R_scope.

(* --- the maximal information gain, Section 2.1 ------------------------------------------------ *)

Definition minor (M : nat -> nat -> R) (j r c : nat) : R := M (S r) (if Nat.ltb c j then c else S
  c).

(* The determinant of an n x n matrix, along the first row *)
Fixpoint det (n : nat) (M : nat -> nat -> R) : R :=
  match n with
  | O => 1
  | S m => sum (seq 0 n) (fun j => (- 1) ^ j * M 0%nat j * det m (minor M j))
  end.

(* 1/2 ln det(I + K/tau) at T points *)
Definition information_gain {W} (k : W -> W -> R) (tau : R) (T : nat) (points : nat -> W) : R :=
  1 / 2 * ln (det T (fun i j => (if Nat.eqb i j then 1 else 0) + k (points i) (points j) / tau)).

(* gamma is the supremum over all choices of T points. *)
Definition maximal_gain {W} (k : W -> W -> R) (tau : R) (T : nat) (gamma : R) : Prop :=
  is_lub (fun gain => exists points, gain = information_gain k tau T points) gamma.

(* --- the printed forms ------------------------------------------------------------------------ *)

Inductive form : Set :=
| main_text (* and the proof in the appendix: 16 C_p F^2 *)
| lemma_6_1 (* F^(2/16) *)
| lemma_6_1_meant. (* F^2/16 *)

Definition denominator (printed : form) (C_p F : R) : R :=
  match printed with
  | main_text => 16 * C_p * (F * F)
  | lemma_6_1 => C_p * Rpower F (2 / 16)
  | lemma_6_1_meant => C_p * (F * F / 16)
  end.

Definition N1bar (printed : form) (C_p F beta_p delta : R) : R :=
  Rpower (ln (1 / delta) / denominator printed C_p F) (2 * beta_p / (beta_p - 1)).

(* --- proofs ----------------------------------------------------------------------------------- *)

Lemma gain_of_one_point {W} (k : W -> W -> R) tau points :
  information_gain k tau 1 points = 1 / 2 * ln (1 + k (points 0%nat) (points 0%nat) / tau).
Proof. unfold information_gain. simpl. do 2 f_equal. ring. Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [Hlt| ->]; [left; now apply ln_increasing|right; reflexivity]. Qed.

(* With one point the supremum exists, and is at least the gain at any point. *)
Lemma one_round_gain {W} (k : W -> W -> R) tau w0 :
  0 < tau -> 0 <= k w0 w0 -> (forall w, 0 <= k w w <= 1) ->
  exists gamma, maximal_gain k tau 1 gamma /\ 1 / 2 * ln (1 + k w0 w0 / tau) <= gamma.
Proof.
  intros Ht H0 H1. assert (Hi : 0 < / tau) by now apply Rinv_0_lt_compat.
  destruct (completeness (fun gain => exists points, gain = information_gain k tau 1 points))
    as [gamma Hgamma].
  - exists (1 / 2 * ln (1 + 1 / tau)). intros g (points & ->). rewrite gain_of_one_point.
    apply Rmult_le_compat_l; [lra|]. destruct (H1 (points 0%nat)). apply ln_le; unfold Rdiv; nra.
  - exists (information_gain k tau 1 (fun _ => w0)). now exists (fun _ => w0).
  - exists gamma. split; [exact Hgamma|]. apply (proj1 Hgamma). exists (fun _ => w0).
    now rewrite gain_of_one_point.
Qed.

(* ln 2 > 1/2 *)
Lemma ln_2_large : 1 / 2 < ln 2.
Proof.
  rewrite <- (ln_exp (1 / 2)). apply ln_increasing; [apply exp_pos|].
  assert (H := exp_ineq1 (- (1 / 2)) ltac:(lra)). rewrite exp_Ropp in H.
  assert (0 < exp (1 / 2)) by apply exp_pos.
  apply Rmult_lt_compat_l with (r := exp (1 / 2)) in H; [|assumption].
  rewrite Rinv_r in H by lra. lra.
Qed.

Lemma denominator_positive printed C_p F : 0 < C_p -> 0 < F -> 0 < denominator printed C_p F.
Proof.
  intros HC HF. assert (0 < F * F) by nra.
  destruct printed; simpl; try nra.
  apply Rmult_lt_0_compat; [assumption|]. apply exp_pos.
Qed.

(* claim: US-N1 | printed | refutes
   Paper: T > N̄₁(δ) = (ln(1/δ)/(16 C_p F²))^(2 β_p/(β_p - 1)) (main text and
   proof; Lemma 6.1 prints F^(2/16) in place of 16 F², which may also be read as F²/16) implies
   √(γ_T ln(1/δ)/(T τ)) ≤ 1/4. Here: false in all three forms for every kernel with
   0 ≤ k(w, w) ≤ 1 that is not zero on the diagonal, whatever its constants C_p, F > 0 and β_p > 1 are (at T = 1):
   N̄₁ does not look at τ. *)
Theorem US_N1_false :
  forall printed W (k : W -> W -> R) (w0 : W) C_p F beta_p,
    0 < C_p -> 0 < F -> 1 < beta_p -> 0 < k w0 w0 -> (forall w, 0 <= k w w <= 1) ->
    ~ (forall delta tau T gamma,
         0 < delta < 1 -> 0 < tau -> maximal_gain k tau T gamma ->
         N1bar printed C_p F beta_p delta < INR T ->
         sqrt (gamma * ln (1 / delta) / (INR T * tau)) <= 1 / 4).
Proof.
  intros printed W k w0 C_p F beta_p HC HF Hb Hw0 Hk H.
  assert (Hc := denominator_positive printed C_p F HC HF).
  set (c := denominator printed C_p F) in *.
  set (tau := Rmin (k w0 w0) c).
  assert (Ht : 0 < tau) by now apply Rmin_glb_lt.
  assert (Ht1 : tau <= k w0 w0) by apply Rmin_l. assert (Ht2 : tau <= c) by apply Rmin_r.
  destruct (one_round_gain k tau w0 Ht ltac:(lra) Hk) as (gamma & Hlub & Hgamma).
  assert (Hlog : ln (1 / exp (- (c / 2))) = c / 2).
  { replace (1 / exp (- (c / 2))) with (exp (c / 2)); [apply ln_exp|].
    rewrite exp_Ropp. field. apply Rgt_not_eq, exp_pos. }
  specialize (H (exp (- (c / 2))) tau 1%nat gamma).
  assert (Hthreshold : N1bar printed C_p F beta_p (exp (- (c / 2))) < INR 1).
  { unfold N1bar. rewrite Hlog. fold c. replace (c / 2 / c) with (/ 2) by (field; lra).
    unfold Rpower. apply Rlt_le_trans with (exp 0); [|rewrite exp_0; simpl; lra].
    apply exp_increasing. rewrite ln_Rinv by lra.
    assert (0 < / (beta_p - 1)) by (apply Rinv_0_lt_compat; lra).
    assert (0 < 2 * beta_p / (beta_p - 1)) by (apply Rmult_lt_0_compat; lra).
    assert (L := ln_2_large). nra. }
  assert (Hd : 0 < exp (- (c / 2)) < 1).
  { split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. }
  specialize (H Hd Ht Hlub Hthreshold). rewrite Hlog in H.
  assert (Hg : 1 / 4 < gamma).
  { apply Rlt_le_trans with (2 := Hgamma). assert (L := ln_2_large).
    assert (ln 2 <= ln (1 + k w0 w0 / tau)); [|lra]. apply ln_le; [lra|].
    assert (E : tau * / tau = 1) by (apply Rinv_r; lra).
    assert (0 < / tau) by now apply Rinv_0_lt_compat.
    assert (tau * / tau <= k w0 w0 * / tau) by (apply Rmult_le_compat_r; lra).
    unfold Rdiv. lra. }
  revert H. apply Rlt_not_le.
  replace (1 / 4) with (sqrt (1 / 4 * (1 / 4))) by (apply sqrt_square; lra).
  apply sqrt_lt_1_alt. split; [lra|].
  simpl INR. rewrite Rmult_1_l.
  apply Rmult_lt_reg_r with tau; [assumption|].
  replace (gamma * (c / 2) / tau * tau) with (gamma * (c / 2)) by (field; lra). nra.
Qed.

(* claim: US-N1 | printed | repairs
   What the proof uses: T ≥ 16 γ_T ln(1/δ)/τ implies it. *)
Theorem US_N1_repaired :
  forall delta tau T gamma, 0 < tau -> (0 < T)%nat ->
    16 * gamma * ln (1 / delta) / tau <= INR T ->
    sqrt (gamma * ln (1 / delta) / (INR T * tau)) <= 1 / 4.
Proof.
  intros delta tau T gamma Ht HT H. assert (0 < INR T) by now apply lt_0_INR.
  replace (1 / 4) with (sqrt (1 / 4 * (1 / 4))) by (apply sqrt_square; lra).
  apply sqrt_le_1_alt. apply Rmult_le_reg_r with (16 * INR T); [lra|].
  replace (gamma * ln (1 / delta) / (INR T * tau) * (16 * INR T))
    with (16 * gamma * ln (1 / delta) / tau) by (field; lra). lra.
Qed.
