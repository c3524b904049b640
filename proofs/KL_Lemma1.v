(* KL, Lemma 1: privacy of pi(a) ~ pi0(a) exp(r(a; D)/eta). *)
From Coq Require Import Reals List Bool Lra Psatz.
From Interval Require Import Tactic.
From DPBandits Require Import Definitions Sums.
Import ListNotations.
Open Scope R_scope.

Definition proper {A} (actions : list A) (pi0 : A -> R) : Prop :=
  (forall a, In a actions -> 0 <= pi0 a) /\ 0 < sum actions pi0.

Section Policy.
Context {A : Type} (actions : list A) (pi0 : A -> R) (eta : R).
Hypothesis Hpi0 : proper actions pi0.

Lemma weight_nonneg s a : In a actions -> 0 <= weight pi0 eta s a.
Proof. intros H. apply Rmult_le_pos; [now apply Hpi0|left; apply exp_pos]. Qed.

Lemma normaliser_positive s : 0 < sum actions (weight pi0 eta s).
Proof.
  destruct Hpi0 as [Hn Hp]. clear Hpi0.
  induction actions as [|a l IH]; simpl in *; [lra|].
  assert (0 <= pi0 a) by auto. assert (0 <= sum l pi0) by (apply sum_nonneg; auto).
  assert (He : 0 < exp (s a / eta)) by apply exp_pos.
  assert (0 <= sum l (weight pi0 eta s)).
  { apply sum_nonneg. intros b Hb. apply Rmult_le_pos; [auto|left; apply exp_pos]. }
  unfold weight at 1. destruct (Rlt_dec 0 (pi0 a)); [nra|].
  assert (0 < sum l (weight pi0 eta s)) by (apply IH; auto; lra). nra.
Qed.

Lemma prob_policy s S :
  prob actions (policy actions pi0 eta s) S
  = prob actions (weight pi0 eta s) S / sum actions (weight pi0 eta s).
Proof.
  unfold prob, policy, Rdiv. rewrite Rmult_comm, <- sum_scal. apply sum_ext. intros a _.
  destruct (S a); ring.
Qed.

Lemma policy_law s : law actions (policy actions pi0 eta s).
Proof.
  assert (H := normaliser_positive s). split.
  - intros a Ha. apply Rmult_le_pos; [now apply weight_nonneg|].
    left. now apply Rinv_0_lt_compat.
  - unfold policy, Rdiv.
    rewrite (sum_ext _ _ (fun a => / sum actions (weight pi0 eta s) * weight pi0 eta s a))
      by (intros; ring).
    rewrite sum_scal. field. lra.
Qed.

(* If on I the scores differ by values within a range omega, then conditionally on I the laws are
   omega/eta-close; written without division. *)
Lemma conditional_closeness s s' I S low omega :
  0 < eta -> (forall a, In a actions -> I a = true -> low <= s a - s' a <= low + omega) ->
  let P := prob actions (policy actions pi0 eta s) in
  let Q := prob actions (policy actions pi0 eta s') in
  P (fun a => S a && I a) * Q I <= exp (omega / eta) * (P I * Q (fun a => S a && I a)).
Proof.
  intros Heta H P Q. unfold P, Q. rewrite !prob_policy.
  assert (HZ := normaliser_positive s). assert (HZ' := normaliser_positive s').
  set (Z := sum actions (weight pi0 eta s)) in *. set (Z' := sum actions (weight pi0 eta s')) in *.
  assert (main : prob actions (weight pi0 eta s) (fun a => S a && I a)
      * prob actions (weight pi0 eta s') I
     <= exp (omega / eta) * (prob actions (weight pi0 eta s') (fun a => S a && I a)
                             * prob actions (weight pi0 eta s) I)).
  { apply sum_product_le. intros a b Ha Hb. cbv beta.
    destruct (S a), (I a) eqn:Ia, (I b) eqn:Ib; simpl; try lra.
    assert (Ua := H a Ha Ia). assert (Ub := H b Hb Ib). unfold weight.
    assert (0 <= pi0 a) by now apply Hpi0. assert (0 <= pi0 b) by now apply Hpi0.
    replace (pi0 a * exp (s a / eta) * (pi0 b * exp (s' b / eta)))
      with (pi0 a * pi0 b * exp (s a / eta + s' b / eta)) by (rewrite exp_plus; ring).
    replace (exp (omega / eta) * (pi0 a * exp (s' a / eta) * (pi0 b * exp (s b / eta))))
      with (pi0 a * pi0 b * exp (omega / eta + (s' a / eta + s b / eta)))
      by (rewrite !exp_plus; ring).
    apply Rmult_le_compat_l; [nra|].
    assert (Hle : s a / eta + s' b / eta <= omega / eta + (s' a / eta + s b / eta)).
    { assert (0 < / eta) by now apply Rinv_0_lt_compat. unfold Rdiv. nra. }
    destruct Hle as [Hlt| ->]; [left; now apply exp_increasing|right; reflexivity]. }
  unfold Rdiv.
  assert (0 < / Z) by now apply Rinv_0_lt_compat. assert (0 < / Z') by now apply Rinv_0_lt_compat.
  assert (0 <= / Z * / Z') by nra.
  apply Rmult_le_compat_r with (r := / Z * / Z') in main; [|assumption].
  lra.
Qed.

(* The pair of data sets of the repaired Lemma 1, in terms of the two score vectors. *)
Lemma range_closeness s s' I low omega delta0 :
  0 < eta -> 0 <= omega ->
  (forall a, In a actions -> I a = true -> low <= s a - s' a <= low + omega) ->
  prob actions (policy actions pi0 eta s) (fun a => negb (I a)) <= delta0 ->
  prob actions (policy actions pi0 eta s') (fun a => negb (I a)) <= delta0 ->
  close actions (omega / eta) delta0 (policy actions pi0 eta s) (policy actions pi0 eta s').
Proof.
  intros Heta Homega H Hp Hq S.
  assert (Hmain := conditional_closeness s s' I S low omega Heta H). cbv zeta in Hmain.
  destruct (policy_law s) as [Pn P1]. destruct (policy_law s') as [Qn Q1].
  set (P := prob actions (policy actions pi0 eta s)) in *.
  set (Q := prob actions (policy actions pi0 eta s')) in *.
  assert (E1 : P S = P (fun a => S a && I a) + P (fun a => S a && negb (I a))) by apply prob_split.
  assert (E2 : Q S = Q (fun a => S a && I a) + Q (fun a => S a && negb (I a))) by apply prob_split.
  assert (C1 : P I = 1 - P (fun a => negb (I a))) by now apply prob_complement.
  assert (C2 : Q I = 1 - Q (fun a => negb (I a))) by now apply prob_complement.
  assert (M1 : P (fun a => S a && negb (I a)) <= P (fun a => negb (I a))).
  { apply prob_mono; auto. intros a Ha. now apply andb_prop in Ha. }
  assert (M2 : P (fun a => S a && I a) <= P I).
  { apply prob_mono; auto. intros a Ha. now apply andb_prop in Ha. }
  assert (N1 : 0 <= P (fun a => S a && I a)) by now apply prob_nonneg.
  assert (N2 : 0 <= Q (fun a => S a && I a)) by now apply prob_nonneg.
  assert (N3 : 0 <= Q (fun a => S a && negb (I a))) by now apply prob_nonneg.
  assert (N4 : 0 <= Q I) by now apply prob_nonneg.
  assert (N5 : Q (fun a => S a && I a) <= Q I).
  { apply prob_mono; auto. intros a Ha. now apply andb_prop in Ha. }
  set (E := exp (omega / eta)) in *. assert (HE : 0 < E) by apply exp_pos.
  set (x := P (fun a => S a && I a)) in *. set (y := Q (fun a => S a && I a)) in *.
  set (pI := P I) in *. set (qI := Q I) in *.
  assert (0 <= E * y) by (apply Rmult_le_pos; lra).
  assert (0 <= E * Q (fun a => S a && negb (I a))) by (apply Rmult_le_pos; lra).
  enough (x + 1 - pI <= E * y + delta0) by (rewrite E1, E2; lra).
  destruct (Rle_lt_dec pI qI) as [Hle|Hlt].
  - destruct (Rle_lt_dec qI 0); [lra|].
    assert (E * y * pI <= E * y * qI) by (apply Rmult_le_compat_l; lra).
    assert (x <= E * y) by (apply Rmult_le_reg_r with qI; lra). lra.
  - apply Rmult_le_reg_r with pI; [lra|].
    assert (0 <= (pI - x) * (pI - qI)) by (apply Rmult_le_pos; lra).
    assert ((1 - qI) * pI <= delta0 * pI) by (apply Rmult_le_compat_r; lra). lra.
Qed.

End Policy.

(* claim: KL-L1-pure | printed | holds
   Paper: if |r(a; D) - r(a; D')| ≤ Δ for all actions and neighbours, the policy (7) is
   2 Δ/η private. For every finite action set, reference π₀ and neighbour relation. *)
Theorem KL_L1_pure :
  forall X A (actions : list A) (near : list X -> list X -> Prop) pi0 eta (r : list X -> A -> R)
    Delta,
    0 < eta -> proper actions pi0 ->
    (forall D D' a, near D D' -> In a actions -> Rabs (r D a - r D' a) <= Delta) ->
    dp near actions (2 * Delta / eta) 0 (fun D => policy actions pi0 eta (r D)).
Proof.
  intros X A actions near pi0 eta r Delta Heta Hpi0 H D D' Hnear.
  assert (zero : forall s, prob actions (policy actions pi0 eta s) (fun _ => false) <= 0).
  { intros s. unfold prob. rewrite (sum_ext _ _ (fun a => 0 * policy actions pi0 eta s a))
      by (intros; ring). rewrite sum_scal. lra. }
  assert (HD : 0 <= Delta).
  { destruct actions as [|a l]; [destruct Hpi0; simpl in *; lra|].
    apply Rle_trans with (2 := H D D' a Hnear (or_introl eq_refl)). apply Rabs_pos. }
  apply range_closeness with (I := fun _ => true) (low := - Delta); auto; try lra.
  intros a Ha _. assert (Hr := H D D' a Hnear Ha). apply Rabs_def2_le in Hr. lra.
Qed.

(* claim: KL-L1-partition | printed | repairs
   If on I the scores at D and D' differ by values within a range ω, and the rest has mass at
   most δ₀ under both, then the pair is (ω/η, δ₀) close; I may depend on the pair. *)
Theorem KL_L1_partition_repaired :
  forall X A (actions : list A) (near : list X -> list X -> Prop) pi0 eta (r : list X -> A -> R)
    omega delta0
      (I : list X -> list X -> A -> bool) (low : list X -> list X -> R),
    0 < eta -> 0 <= omega -> proper actions pi0 ->
    (forall D D' a, near D D' -> In a actions -> I D D' a = true ->
       low D D' <= r D a - r D' a <= low D D' + omega) ->
    (forall D D', near D D' ->
       prob actions (policy actions pi0 eta (r D)) (fun a => negb (I D D' a)) <= delta0 /\
       prob actions (policy actions pi0 eta (r D')) (fun a => negb (I D D' a)) <= delta0) ->
    dp near actions (omega / eta) delta0 (fun D => policy actions pi0 eta (r D)).
Proof.
  intros X A actions near pi0 eta r omega delta0 I low Heta Hom Hpi0 Hrange Hmass D D' Hnear.
  destruct (Hmass D D' Hnear).
  apply range_closeness with (I := I D D') (low := low D D'); auto.
Qed.

(* The hypotheses of Lemma 1 at D: on I no neighbour moves a score by more than Delta, and the
   policy at D gives the rest at most delta0. *)
Definition partition_at {X A} (actions : list A) (near : list X -> list X -> Prop) pi0 eta
    (r : list X -> A -> R) Delta delta0 (I : A -> bool) (D : list X) : Prop :=
  (forall D' a, near D D' -> In a actions -> I a = true -> Rabs (r D a - r D' a) <= Delta) /\
  prob actions (policy actions pi0 eta (r D)) (fun a => negb (I a)) <= delta0.

(* claim: KL-L1-partition | all-data-sets | holds
   Paper, if the hypothesis is asked of every data set (each with its own I): the policy is
   (2 Δ/η, δ₀ e^(2 Δ/η)) private. *)
Theorem KL_L1_partition_everywhere :
  forall X A (actions : list A) (near : list X -> list X -> Prop) pi0 eta (r : list X -> A -> R)
    Delta delta0 I,
    0 < eta -> 0 <= Delta -> proper actions pi0 -> (forall D D' : list X, near D D' -> near D' D) ->
    (forall D, partition_at actions near pi0 eta r Delta delta0 (I D) D) ->
    dp near actions (2 * Delta / eta) (delta0 * exp (2 * Delta / eta))
      (fun D => policy actions pi0 eta (r D)).
Proof.
  intros X A actions near pi0 eta r Delta delta0 I Heta HDelta Hpi0 Hsym H D D' Hnear S.
  assert (Hlaw := fun D => policy_law actions pi0 eta Hpi0 (r D)).
  assert (rest : forall D D', prob actions (policy actions pi0 eta (r D))
                              (fun a => negb (I D a || I D' a)) <= delta0).
  { intros E E'. apply Rle_trans with (2 := proj2 (H E)). apply prob_mono; [apply Hlaw|].
    intros a Ha. now destruct (I E a). }
  assert (close actions (2 * Delta / eta) delta0 (policy actions pi0 eta (r D))
            (policy actions pi0 eta (r D'))) as Hc.
  { apply range_closeness with (I := fun a => I D a || I D' a) (low := - Delta); auto; try lra.
    - intros a Ha Hor. apply orb_prop in Hor.
      assert (Hr : Rabs (r D a - r D' a) <= Delta).
      { destruct Hor as [Hi|Hi]; [now apply (proj1 (H D))|].
        rewrite Rabs_minus_sym. apply (proj1 (H D')); auto. }
      apply Rabs_def2_le in Hr. lra.
    - apply Rle_trans with (2 := rest D' D). right. apply sum_ext. intros a _.
      now rewrite orb_comm. }
  specialize (Hc S).
  assert (0 <= delta0) by (apply Rle_trans with (2 := rest D D); apply prob_nonneg; apply Hlaw).
  assert (1 <= exp (2 * Delta / eta)).
  { assert (H1 := exp_ineq1_le (2 * Delta / eta)).
    assert (0 < / eta) by now apply Rinv_0_lt_compat. unfold Rdiv in *. nra. }
  nra.
Qed.

(* Scores of the counterexample: action true never moves and is the likely one at the empty data
   set; action false jumps from -10 to 10 when a record is added. *)
Definition jump (D : list unit) (a : bool) : R :=
  if a then 0 else match D with [] => -10 | _ => 10 end.

(* claim: KL-L1-partition | printed | refutes
   Paper: if at D the sensitivity on I is at most Δ and the rest has probability at most δ₀,
   the policy is (2 Δ/η, δ₀ e^(2 Δ/η)) private. The hypothesis read at D only. Here:
   two actions, uniform π₀, η = 1, Δ = 0; already P(S; D) ≤ e^ε P(S; D') + δ fails. *)
Theorem KL_L1_partition_false :
  ~ (forall X A (actions : list A) (near : list X -> list X -> Prop) pi0 eta (r : list X -> A -> R)
    Delta delta0 I D,
       0 < eta -> 0 <= Delta -> proper actions pi0 ->
       partition_at actions near pi0 eta r Delta delta0 I D ->
       forall D', near D D' ->
         close actions (2 * Delta / eta) (delta0 * exp (2 * Delta / eta))
           (policy actions pi0 eta (r D)) (policy actions pi0 eta (r D'))).
Proof.
  intros H.
  set (half := fun _ : bool => 1 / 2).
  specialize (H unit bool [true; false] add_remove half 1 jump 0
    (policy [true; false] half 1 (jump []) false) (fun a => a) []).
  assert (Hc := fun a b c d => H a b c d [tt] ltac:(right; now exists [], tt, []) (fun a => a)).
  clear H. unfold prob, policy, weight, half, jump in Hc. simpl in Hc.
  replace (2 * 0 / 1) with 0 in Hc by field. rewrite exp_0 in Hc.
  enough (~ (1 / 2 * exp (0 / 1) / (1 / 2 * exp (0 / 1) + (1 / 2 * exp (-10 / 1) + 0)) + (0 + 0) <=
    1 * (1 / 2 * exp (0 / 1) / (1 / 2 * exp (0 / 1) + (1 / 2 * exp (10 / 1) + 0)) + (0 + 0)) +
    1 / 2 * exp (-10 / 1) / (1 / 2 * exp (0 / 1) + (1 / 2 * exp (-10 / 1) + 0)) * 1)) as Hn.
  - apply Hn. apply Hc; try lra.
    + split; [intros a _; lra|simpl; lra].
    + split.
      * intros D' [|] _ _ Ha; [|discriminate]. rewrite Rminus_eq_0, Rabs_R0. lra.
      * unfold prob, policy, weight, half, jump; simpl; lra.
  - apply Rlt_not_le. interval with (i_prec 64).
Qed.

(* claim: KL-L1-events | printed | instance
   Paper, end of Appendix A: P(a; D) ≤ e^ε P(a; D') + δ for every single action a makes the
   policy (ε, δ) DP. Here: the laws (1/2, 1/2, 0, 0) and (0, 0, 1/2, 1/2), ε = 0,
   δ = 1/2; the deltas of single actions add up. *)
Theorem KL_L1_events_false :
  ~ (forall A (outcomes : list A) (p q : A -> R) eps delta,
       0 <= eps -> 0 <= delta -> law outcomes p -> law outcomes q ->
       (forall a, In a outcomes -> p a <= exp eps * q a + delta /\ q a <= exp eps * p a + delta) ->
       close outcomes eps delta p q).
Proof.
  intros H.
  set (first := fun a : nat => if Nat.ltb a 2 then 1 / 2 else 0).
  set (last := fun a : nat => if Nat.ltb a 2 then 0 else 1 / 2).
  assert (Hall : forall a, In a [0; 1; 2; 3]%nat ->
    (first a = 1 / 2 /\ last a = 0) \/ (first a = 0 /\ last a = 1 / 2)).
  { intros a _. unfold first, last. destruct (Nat.ltb a 2); auto. }
  assert (Hc : close [0; 1; 2; 3]%nat 0 (1 / 2) first last).
  { apply H; try lra.
    - split; [intros a Ha; destruct (Hall a Ha) as [[-> _]|[-> _]]; lra|].
      unfold first. simpl. lra.
    - split; [intros a Ha; destruct (Hall a Ha) as [[_ ->]|[_ ->]]; lra|].
      unfold last. simpl. lra.
    - intros a Ha. rewrite exp_0. destruct (Hall a Ha) as [[-> ->]|[-> ->]]; lra. }
  specialize (Hc (fun a => Nat.ltb a 2)). unfold prob, first, last in Hc. simpl in Hc.
  rewrite exp_0 in Hc. lra.
Qed.
