(* KL, Section 4.3 and Appendix D: RLHF, eq. (11), with features of dimension d = 1. The paper's
   statements are for every d, so that a counterexample with d = 1 refutes them. *)
From Coq Require Import Reals List Bool Arith ZArith Lia Lra Psatz.
From Interval Require Import Tactic.
From DPBandits Require Import Definitions Sums KL_Lemma1 KL_Linear.
Import ListNotations.
Open Scope R_scope.

(* --- the mechanism ---------------------------------------------------------------------------- *)

(* A record is the difference z_i = phi(x_i, a_i^1) - phi(x_i, a_i^2) and the label y_i. *)
Definition preference : Type := R * bool.

Definition sigmoid (u : R) : R := 1 / (1 + exp (- u)).

Definition log_likelihood (D : list preference) (theta : R) : R :=
  sum D (fun x => ln (sigmoid (if snd x then theta * fst x else - (theta * fst x)))).

Definition is_mle (D : list preference) (theta : R) : Prop :=
  forall other, log_likelihood D other <= log_likelihood D theta.

(* Sigma_D, which is lambda_min(D) when d = 1; `ridge` is the paper's lambda. *)
Definition information (ridge : R) (D : list preference) : R :=
  ridge + sum D (fun x => fst x * fst x).

(* |phi|_{Sigma_D^-1} *)
Definition uncertainty (ridge : R) (D : list preference) (phi : R) : R :=
  sqrt (phi * phi / information ridge D).

(* eq. (11), theta being the MLE *)
Definition rlhf_policy {A} (actions : list A) (phi pi0 : A -> R) (ridge beta0 eta : R)
    (D : list preference) (theta : R) : A -> R :=
  policy actions pi0 eta (fun a => theta * phi a - beta0 * uncertainty ridge D (phi a)).

(* KL, Definition 3: one label differs. *)
Definition label_flip (D D' : list preference) : Prop :=
  exists before z y after,
    D = before ++ (z, y) :: after /\ D' = before ++ (z, negb y) :: after.

(* Features of norm at most 1 (so differences of norm at most 2), both MLEs exist and lie in the
   ball of radius B, as Appendix D assumes; `narrowest` = min_a |phi(x, a)|_{Sigma_D^-1}. *)
Definition rlhf_admissible {A} (near : list preference -> list preference -> Prop)
    (actions : list A) (phi pi0 : A -> R) (ridge beta0 eta B : R) (D D' : list preference)
    (theta theta' narrowest : R) : Prop :=
  near D D' /\ (forall x, In x D \/ In x D' -> Rabs (fst x) <= 2) /\
  (forall a, In a actions -> Rabs (phi a) <= 1) /\ proper actions pi0 /\
  0 < ridge /\ 0 < beta0 /\ 0 < eta /\ 0 < B /\
  is_mle D theta /\ Rabs theta <= B /\ is_mle D' theta' /\ Rabs theta' <= B /\
  (exists a, In a actions /\ uncertainty ridge D (phi a) = narrowest) /\
  (forall a, In a actions -> narrowest <= uncertainty ridge D (phi a)).

(* --- one difference z throughout: the MLE in closed form -------------------------------------- *)

Definition comparisons (z : R) (won lost : nat) : list preference :=
  repeat (z, true) won ++ repeat (z, false) lost.

Lemma sigmoid_positive u : 0 < sigmoid u.
Proof. apply Rdiv_lt_0_compat; [lra|]. assert (H := exp_pos (- u)). lra. Qed.

Lemma sigmoid_symmetric u : sigmoid u + sigmoid (- u) = 1.
Proof.
  unfold sigmoid. rewrite Ropp_involutive, exp_Ropp. assert (H := exp_pos u). field. lra.
Qed.

Lemma sigmoid_ln_ratio p q : 0 < p -> 0 < q -> sigmoid (ln (p / q)) = p / (p + q).
Proof.
  intros Hp Hq. unfold sigmoid. rewrite exp_Ropp, exp_ln by now apply Rdiv_lt_0_compat.
  field. lra.
Qed.

(* Gibbs: w ln s + l ln(1 - s) is largest at s = w/(w + l). *)
Lemma ln_below x y : 0 < x -> 0 < y -> ln x <= ln y + (x / y - 1).
Proof.
  intros Hx Hy. assert (0 < x / y) by now apply Rdiv_lt_0_compat.
  replace x with (y * (x / y)) at 1 by (field; lra). rewrite ln_mult by assumption.
  assert (H1 := exp_ineq1_le (ln (x / y))). rewrite exp_ln in H1 by assumption. lra.
Qed.

Lemma comparisons_mle z won lost : z <> 0 -> (0 < won)%nat -> (0 < lost)%nat ->
  is_mle (comparisons z won lost) (ln (INR won / INR lost) / z).
Proof.
  intros Hz Hw Hl other. apply lt_0_INR in Hw, Hl.
  unfold log_likelihood, comparisons. rewrite !sum_app, !sum_repeat. simpl fst. simpl snd. cbv iota.
  set (w := INR won) in *. set (l := INR lost) in *.
  replace (ln (w / l) / z * z) with (ln (w / l)) by (field; assumption).
  replace (- ln (w / l)) with (ln (l / w)).
  2: { rewrite <- ln_Rinv by now apply Rdiv_lt_0_compat. f_equal. field. lra. }
  rewrite !sigmoid_ln_ratio by assumption.
  set (u := other * z).
  assert (S := sigmoid_symmetric u). assert (P1 := sigmoid_positive u).
  assert (P2 := sigmoid_positive (- u)).
  assert (Q1 : 0 < w / (w + l)) by (apply Rdiv_lt_0_compat; lra).
  assert (Q2 : 0 < l / (l + w)) by (apply Rdiv_lt_0_compat; lra).
  assert (B1 := ln_below _ _ P1 Q1). assert (B2 := ln_below _ _ P2 Q2).
  apply Rmult_le_compat_l with (r := w) in B1; [|lra].
  apply Rmult_le_compat_l with (r := l) in B2; [|lra].
  replace (sigmoid (- u)) with (1 - sigmoid u) in B2 at 2 by lra.
  replace (w * (ln (w / (w + l)) + (sigmoid u / (w / (w + l)) - 1)))
    with (w * ln (w / (w + l)) + (w + l) * sigmoid u - w) in B1 by (field; lra).
  replace (l * (ln (l / (l + w)) + ((1 - sigmoid u) / (l / (l + w)) - 1)))
    with (l * ln (l / (l + w)) + (w + l) * (1 - sigmoid u) - l) in B2 by (field; lra).
  lra.
Qed.

Lemma comparisons_information ridge z won lost :
  information ridge (comparisons z won lost) = ridge + (INR won + INR lost) * (z * z).
Proof. unfold information, comparisons. rewrite sum_app, !sum_repeat. simpl. ring. Qed.

Lemma comparisons_bounded z won lost x : Rabs z <= 2 -> In x (comparisons z won lost) ->
  Rabs (fst x) <= 2.
Proof.
  intros Hz Hx. unfold comparisons in Hx. rewrite in_app_iff in Hx.
  destruct Hx as [Hx|Hx]; apply repeat_spec in Hx; now subst.
Qed.

(* The actions are +1 and -1: one width, so that the penalty cancels. *)
Lemma opposite_actions ridge beta0 eta D theta :
  prob [true; false] (rlhf_policy [true; false] sign even ridge beta0 eta D theta) (Bool.eqb false)
  = / (1 + exp (2 * theta / eta)).
Proof.
  unfold rlhf_policy. rewrite two_actions. simpl. do 3 f_equal.
  unfold uncertainty. replace (-1 * -1) with (1 * 1) by ring. unfold Rdiv. ring.
Qed.

Lemma sign_width ridge z won lost a : 0 < ridge ->
  uncertainty ridge (comparisons z won lost) (sign a)
  = / sqrt (ridge + (INR won + INR lost) * (z * z)).
Proof.
  intros Hr. unfold uncertainty. rewrite comparisons_information.
  assert (0 <= INR won) by apply pos_INR. assert (0 <= INR lost) by apply pos_INR.
  assert (0 <= z * z) by (assert (H1 := Rle_0_sqr z); exact H1).
  assert (0 <= (INR won + INR lost) * (z * z)) by (apply Rmult_le_pos; lra).
  replace (sign a * sign a) with 1 by (destruct a; simpl; ring). apply sqrt_1_over. lra.
Qed.

(* All hypotheses, for two data sets of comparisons *)
Lemma comparisons_admissible (near : list preference -> list preference -> Prop) beta0 eta B z won
  lost won' lost' :
  near (comparisons z won lost) (comparisons z won' lost') -> 0 < z <= 2 ->
  (0 < won)%nat -> (0 < lost)%nat -> (0 < won')%nat -> (0 < lost')%nat ->
  0 < beta0 -> 0 < eta -> 0 < B ->
  Rabs (ln (INR won / INR lost) / z) <= B -> Rabs (ln (INR won' / INR lost') / z) <= B ->
  rlhf_admissible near [true; false] sign even 1 beta0 eta B
    (comparisons z won lost) (comparisons z won' lost')
    (ln (INR won / INR lost) / z) (ln (INR won' / INR lost') / z)
    (/ sqrt (1 + (INR won + INR lost) * (z * z))).
Proof.
  intros Hnear Hz Hw Hl Hw' Hl' Hb He HB H1 H2.
  assert (Hz' : Rabs z <= 2) by (apply Rabs_le; lra).
  split; [assumption|]. split.
  { intros x [Hx|Hx]; now apply comparisons_bounded in Hx. }
  split; [intros [|] _; simpl; apply Rabs_le; lra|].
  split; [apply even_proper|]. do 4 (split; [lra|]).
  split; [apply comparisons_mle; lra || assumption|]. split; [assumption|].
  split; [apply comparisons_mle; lra || assumption|]. split; [assumption|]. split.
  - exists true. split; [now left|]. apply sign_width. lra.
  - intros a _. right. symmetry. apply sign_width. lra.
Qed.

(* --- the data sets ---------------------------------------------------------------------------- *)

Lemma flip_one z won lost :
  label_flip (comparisons z won (S lost)) (comparisons z (S won) lost).
Proof.
  exists (repeat (z, true) won), z, false, (repeat (z, false) lost). split; [reflexivity|].
  unfold comparisons. simpl. rewrite app_comm_cons, (repeat_cons won (z, true)), <- app_assoc.
  reflexivity.
Qed.

Lemma drop_one z won lost :
  add_remove (comparisons z won (S lost)) (comparisons z won lost).
Proof. left. now exists (repeat (z, true) won), (z, false), (repeat (z, false) lost). Qed.

Lemma INR_of_nat n k : Z.of_nat n = k -> INR n = IZR k.
Proof. intros <-. apply INR_IZR_INZ. Qed.

Ltac numbers :=
  rewrite ?(INR_of_nat 9 9), ?(INR_of_nat 10 10), ?(INR_of_nat 11 11), ?(INR_of_nat 99 99),
    ?(INR_of_nat 100 100), ?(INR_of_nat 101 101), ?(INR_of_nat 2 2), ?(INR_of_nat 20 20),
    ?(INR_of_nat 200 200) by reflexivity.

(* The second data set makes the action -1 so rare that no eps up to `most` and delta up to 1/4
   suffice. *)
Lemma rare_action most beta0 eta D D' theta theta' eps delta :
  theta = 0 -> eps <= most -> delta <= 1 / 4 ->
  exp most * / (1 + exp (2 * theta' / eta)) < 1 / 4 ->
  ~ close [true; false] eps delta (rlhf_policy [true; false] sign even 1 beta0 eta D theta)
      (rlhf_policy [true; false] sign even 1 beta0 eta D' theta').
Proof.
  intros -> He Hd Hr H. specialize (H (Bool.eqb false)). rewrite !opposite_actions in H.
  replace (2 * 0 / eta) with 0 in H by (unfold Rdiv; ring). rewrite exp_0 in H.
  assert (exp eps <= exp most) by (destruct He as [Hlt| ->];
    [left; now apply exp_increasing|right; reflexivity]).
  assert (0 < / (1 + exp (2 * theta' / eta))).
  { apply Rinv_0_lt_compat. assert (E := exp_pos (2 * theta' / eta)). lra. }
  assert (exp eps * / (1 + exp (2 * theta' / eta)) <= exp most * / (1 + exp (2 * theta' / eta)))
    by (apply Rmult_le_compat_r; lra). lra.
Qed.
