(* HU, Theorem 8: the privacy of RNM-FTNL (Algorithm 4). *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From DPBandits Require Import Definitions Sums Laplace.
Import ListNotations.
Open Scope R_scope.

(* --- the mechanism ---------------------------------------------------------------------------- *)

(* X t j is the reward of arm j in round t = 1, 2, ...; arms are 0, ..., K - 1. *)
Definition rewards : Type := nat -> nat -> R.

Definition bits (X : rewards) : Prop := forall t j, X t j = 0 \/ X t j = 1.

(* HU, Section 2.2: one whole reward vector differs. *)
Definition one_vector_differs (X X' : rewards) : Prop :=
  exists s, forall t, t <> s -> forall j, X t j = X' t j.

(* Epoch r has the 2^r rounds 2^r, ..., 2^(r+1) - 1; arm j's reward in them. *)
Definition gain (X : rewards) (r j : nat) : R :=
  sum (seq (2 ^ r) (2 ^ r)) (fun t => X t j).

(* Epoch 0 plays the first arm. Later epochs play the noisy leader of the epoch before. The
   decisions of the rounds up to the end of the last epoch are, one to one, the list of the leaders
   played in epochs 1, 2, ...; the probability of a list is a product, as in (48) of the paper. *)
Fixpoint leaders_from (rate : R) (K : nat) (X : rewards) (r : nat) (leaders : list nat) : R :=
  match leaders with
  | [] => 1
  | j :: later => wins rate K (gain X r) j * leaders_from rate K X (S r) later
  end.

Definition rnm_ftnl (rate : R) (K : nat) (X : rewards) : list nat -> R := leaders_from rate K X 0.

(* All lists of so many arms *)
Fixpoint decisions (K epochs : nat) : list (list nat) :=
  match epochs with
  | O => [[]]
  | S fewer => flat_map (fun j => map (cons j) (decisions K fewer)) (seq 0 K)
  end.

(* eps-DP of the decisions up to the end of the last epoch, noise Lap(1/rate) *)
Definition rnm_ftnl_private (rate : R) (K epochs : nat) (eps : R) : Prop :=
  forall X X', bits X -> bits X' -> one_vector_differs X X' ->
    close (decisions K epochs) eps 0 (rnm_ftnl rate K X) (rnm_ftnl rate K X').

(* --- two arms, closed form -------------------------------------------------------------------- *)

(* The first of two arms, behind by t >= 0, wins with probability e^(-rate t) (2 + rate t)/4. *)
Lemma two_arms_closed_form rate score :
  0 < rate -> score 0%nat <= score 1%nat ->
  wins rate 2 score 0
  = exp (- (rate * (score 1%nat - score 0%nat))) * (2 + rate * (score 1%nat - score 0%nat)) / 4.
Proof.
  intros Hr Hs. set (t := score 1%nat - score 0%nat). assert (Ht : 0 <= t) by (unfold t; lra).
  apply is_RInt_gen_unique.
  set (E := exp (- (rate * t))).
  set (L := fun a => 1 / 8 * exp (2 * rate * a + - (rate * t))).
  set (U := fun b => - (1 / 2) * exp (- (rate * b) + 0) + 1 / 8 * exp (- (2 * rate * b) + rate *
    t)).
  apply (is_RInt_gen_ext (fun x => laplace rate x * laplace_cdf rate (x - t))).
  { apply filter_forall. intros _ x _. unfold wins_density, rivals, product. simpl.
    rewrite Rmult_1_r. f_equal. f_equal. unfold t. ring. }
  replace (E * (2 + rate * t) / 4)
    with (0 - (1 / 8 * 0 - E * (2 + rate * t) / 4)) by (simpl; field).
  apply improper with (L := fun a => L a - E * (2 + rate * t) / 4) (U := U) (A := 0) (B := t).
  - intros a b Ha Hb.
    replace (U b - (L a - E * (2 + rate * t) / 4))
      with ((L 0 - L a) + (rate / 4 * E * t - rate / 4 * E * 0) + (U b - U t)).
    2: { unfold L, U, E. rewrite Rplus_0_r.
         replace (2 * rate * 0 + - (rate * t)) with (- (rate * t)) by ring.
         replace (- (2 * rate * t) + rate * t) with (- (rate * t)) by ring.
         replace (- (rate * t) + 0) with (- (rate * t)) by ring. field. }
    apply (is_RInt_Chasles (V := R_CompleteNormedModule)) with t;
      [apply (is_RInt_Chasles (V := R_CompleteNormedModule)) with 0|].
    + apply (piece _ L (fun x => rate / 4 * exp (2 * rate * x + - (rate * t))));
        auto using continuous_exp_affine; try lra.
      * intros x. unfold L. auto_derive; [exact I|]. field.
      * intros x Hx. rewrite laplace_left, cdf_left by lra.
        replace (2 * rate * x + - (rate * t)) with (rate * x + rate * (x - t)) by ring.
        rewrite exp_plus. field.
    + apply (piece _ (fun x => rate / 4 * E * x) (fun _ => rate / 4 * E)); auto.
      * intros x. auto_derive; [exact I|]. ring.
      * intros x. apply continuous_const.
      * intros x Hx. rewrite laplace_right, cdf_left by lra. unfold E.
        replace (- (rate * t)) with (- (rate * x) + rate * (x - t)) by ring. rewrite exp_plus.
        field.
    + apply (piece _ U (fun x => rate / 2 * exp (- rate * x + 0)
                                 + - (rate / 4) * exp (- (2 * rate) * x + rate * t))); try lra.
      * intros x. unfold U. auto_derive; [exact I|].
        replace (- rate * x) with (- (rate * x)) by ring.
        replace (- (2 * rate) * x) with (- (2 * rate * x)) by ring. field.
      * intros x. apply (continuous_plus (V := R_NormedModule)); apply continuous_exp_affine.
      * intros x Hx. rewrite laplace_right, cdf_right by lra.
        replace (- (2 * rate) * x + rate * t) with (- (rate * x) + - (rate * (x - t))) by ring.
        replace (- rate * x + 0) with (- (rate * x)) by ring. rewrite exp_plus. field.
  - apply is_lim_minus' with (lf := 1 / 8 * 0) (lg := E * (2 + rate * t) / 4); [|apply
    is_lim_const].
    apply (is_lim_scal_l (fun a => exp (2 * rate * a + - (rate * t))) (1 / 8) m_infty 0).
    apply is_lim_exp_left. lra.
  - replace 0 with (- (1 / 2) * 0 + 1 / 8 * 0) by ring.
    apply is_lim_plus' with (lf := - (1 / 2) * 0) (lg := 1 / 8 * 0).
    + apply (is_lim_scal_l (fun b => exp (- (rate * b) + 0)) (- (1 / 2)) p_infty 0).
      now apply is_lim_exp_right.
    + apply (is_lim_scal_l (fun b => exp (- (2 * rate * b) + rate * t)) (1 / 8) p_infty 0).
      apply is_lim_exp_right. lra.
Qed.

(* --- the counterexample ----------------------------------------------------------------------- *)

(* Seven rounds, two arms. Round 1: (0, 0); round 2: (0, 1); round 3: (1, 0), or (0, 1) in the
   neighbour; the rest 0. The sums of epoch 1 are (1, 1), or (0, 2). *)
Definition tied : rewards := fun t j =>
  match t, j with 2%nat, 1%nat => 1 | 3%nat, 0%nat => 1 | _, _ => 0 end.
Definition behind : rewards := fun t j =>
  match t, j with 2%nat, 1%nat => 1 | 3%nat, 1%nat => 1 | _, _ => 0 end.

Definition first_arm_throughout (leaders : list nat) : bool :=
  match leaders with [0%nat; 0%nat] => true | _ => false end.

Lemma prob_first_arm rate X :
  prob (decisions 2 2) (rnm_ftnl rate 2 X) first_arm_throughout
  = wins rate 2 (gain X 0) 0 * wins rate 2 (gain X 1) 0.
Proof. unfold prob, rnm_ftnl. simpl. ring. Qed.

(* claim: HU-T8 | printed | refutes
   Paper: Algorithm 4 (RNM-FTNL, noise Lap(1/ε)) is ε-DP when one reward vector is replaced.
   Here: false for every ε > 0, with two arms and seven rounds: the loss is 2 ε - ln(1 +
   ε). *)
Theorem HU_T8_false :
  forall eps, 0 < eps -> ~ (forall K epochs, (2 <= K)%nat -> rnm_ftnl_private eps K epochs eps).
Proof.
  intros eps Heps H. specialize (H 2%nat 2%nat ltac:(lia) tied behind).
  assert (Hc : close (decisions 2 2) eps 0 (rnm_ftnl eps 2 tied) (rnm_ftnl eps 2 behind)).
  { apply H.
    - intros [|[|[|[|t]]]] [|[|j]]; simpl; auto.
    - intros [|[|[|[|t]]]] [|[|j]]; simpl; auto.
    - exists 3%nat. intros t Ht j. destruct t as [|[|[|[|t]]]]; try reflexivity. lia. }
  specialize (Hc first_arm_throughout). rewrite !prob_first_arm in Hc.
  rewrite !two_arms_closed_form in Hc by (unfold gain; simpl; lra).
  unfold gain in Hc. simpl in Hc.
  replace (eps * (0 + 0 - (0 + 0))) with 0 in Hc by ring.
  replace (eps * (1 + (0 + 0) - (0 + (1 + 0)))) with 0 in Hc by ring.
  replace (eps * (1 + (1 + 0) - (0 + (0 + 0)))) with (eps + eps) in Hc by ring.
  rewrite Ropp_0, exp_0, Ropp_plus_distr, exp_plus in Hc.
  assert (H1 := exp_ineq1 eps ltac:(lra)).
  assert (Hinv : exp eps * exp (- eps) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (0 < exp (- eps)) by apply exp_pos.
  replace (exp eps * (1 * (2 + 0) / 4 * (exp (- eps) * exp (- eps) * (2 + (eps + eps)) / 4)) + 0)
    with ((exp eps * exp (- eps)) * exp (- eps) * (1 + eps) / 4) in Hc by field.
  rewrite Hinv in Hc. nra.
Qed.
