(* KL, Theorem 1: the constant of the repaired pure part is the least. *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz.
From DPBandits Require Import Definitions Sums KL_Lemma1 KL_Theorem1 KL_Theorem1_approx.
Import ListNotations.
Open Scope R_scope.

(* Arm 0 has n records of reward 0, and one of the largest reward in front; arm 1 has n + 1 of
   reward 0. The record in front is removed. *)
Definition without (n : nat) : list bandit_record := repeat (0%nat, 0) n ++ repeat (1%nat, 0) (S n).
Definition with_one (top : R) (n : nat) : list bandit_record := (0%nat, top) :: without n.

Definition odds (u : R) (a : nat) : R := if Nat.eqb a 0 then u / (1 + u) else 1 / (1 + u).

Lemma odds_law u : 0 < u -> law (seq 0 2) (odds u).
Proof.
  intros H. assert (0 < / (1 + u)) by (apply Rinv_0_lt_compat; lra). split.
  - intros a _. unfold odds. destruct (Nat.eqb a 0); apply Rmult_le_pos; lra.
  - unfold odds. simpl. field. lra.
Qed.

Lemma count_without n a : (a < 2)%nat -> count (without n) a = if Nat.eqb a 0 then n else S n.
Proof.
  intros H. unfold count, without. rewrite filter_app, !filter_repeat, app_length.
  destruct a as [|[|a]]; [| |lia]; unfold of_arm; simpl fst; simpl Nat.eqb; cbv iota;
    rewrite !repeat_length || rewrite repeat_length; simpl length; lia.
Qed.

Lemma total_without n a : total (without n) a = 0.
Proof.
  unfold total, without. rewrite filter_app, !filter_repeat, sum_app.
  destruct (of_arm a (0%nat, 0)), (of_arm a (1%nat, 0)); rewrite ?sum_repeat; simpl; ring.
Qed.

Lemma prob_arm_0 u beta0 eta D : 0 < u ->
  let w a := exp (pessimistic_score beta0 D a / eta) in
  prob (seq 0 2) (bandit_policy 2 (odds u) beta0 eta D) is_arm_0
  = u * w 0%nat / (u * w 0%nat + w 1%nat).
Proof.
  intros Hu w. unfold prob, bandit_policy, policy, weight, odds. simpl seq. simpl sum.
  unfold is_arm_0. simpl Nat.eqb. cbv iota. fold (w 0%nat) (w 1%nat).
  assert (0 < w 0%nat) by apply exp_pos. assert (0 < w 1%nat) by apply exp_pos.
  assert (0 < u * w 0%nat) by nra. field. repeat split; nra.
Qed.

(* claim: KL-T1-pure | printed | attains
   For all R, β₀, η > 0 and m > 1: no smaller constant than that of the repair is true;
   for each some law π₀ and data set with min_a N(a; D) = m, two arms, break it. *)
Theorem KL_T1_pure_attained :
  forall top beta0 eta m eps,
    0 < top -> 0 < beta0 -> 0 < eta -> (1 < m)%nat -> eps < sensitivity top beta0 (INR m) / eta ->
    exists pi0 D, law (seq 0 2) pi0 /\ rewards_within top D /\ least_count 2 D m /\
      ~ dp_at (bandit_neighbours top) (seq 0 2) eps 0 (bandit_policy 2 pi0 beta0 eta) D.
Proof.
  intros top beta0 eta m eps Htop Hb Heta Hm Heps.
  destruct m as [|n]; [lia|]. assert (Hn : (1 <= n)%nat) by lia.
  set (D := with_one top n). set (D' := without n).
  assert (Hin : forall x, In x D -> x = (0%nat, top) \/ x = (0%nat, 0) \/ x = (1%nat, 0)).
  { intros x [<-|Hx]; [now left|]. unfold without in Hx. rewrite in_app_iff in Hx.
    destruct Hx as [Hx|Hx]; apply repeat_spec in Hx; auto. }
  assert (HD : rewards_within top D).
  { intros x Hx. apply Hin in Hx as [-> |[-> | ->]]; simpl; lra. }
  assert (Hcount : forall a, (a < 2)%nat -> count D a = S n).
  { intros a Ha. assert (Hi := count_insert [] (without n) (0%nat, top) a).
    change (count D a = (count (without n) a + if of_arm a (0%nat, top) then 1 else 0)%nat) in Hi.
    rewrite Hi, count_without by assumption. unfold of_arm. simpl fst.
    destruct a as [|[|a]]; [| |lia]; simpl; lia. }
  (* scores: arm 1 does not move, arm 0 by the whole sensitivity *)
  assert (H1 : pessimistic_score beta0 D 1 = pessimistic_score beta0 D' 1).
  { apply (score_elsewhere beta0 [] D' (0%nat, top) 1). reflexivity. }
  assert (Hn' : 0 < INR n) by (apply lt_0_INR; lia).
  assert (H0 : pessimistic_score beta0 D 0
               = pessimistic_score beta0 D' 0 + sensitivity top beta0 (INR (S n))).
  { unfold pessimistic_score, mean_reward, sensitivity.
    change (sum (filter (of_arm 0) D) snd) with (total D 0).
    change (sum (filter (of_arm 0) D') snd) with (total D' 0).
    assert (Hi := total_insert [] (without n) (0%nat, top) 0). simpl in Hi.
    change (total D 0 = total D' 0 + top) in Hi. rewrite Hi, Hcount by lia.
    unfold D'. rewrite total_without, count_without by lia. simpl Nat.eqb. cbv iota.
    rewrite S_INR. replace (INR n + 1 - 1) with (INR n) by ring.
    assert (0 < sqrt (INR n)) by now apply sqrt_lt_R0.
    assert (0 < sqrt (INR n + 1)) by (apply sqrt_lt_R0; lra). field. repeat split; lra. }
  set (A := exp (pessimistic_score beta0 D' 0 / eta)).
  set (B := exp (pessimistic_score beta0 D' 1 / eta)).
  set (E := exp (sensitivity top beta0 (INR (S n)) / eta)). set (e := exp eps).
  assert (HA : 0 < A) by apply exp_pos. assert (HB : 0 < B) by apply exp_pos.
  assert (He : 0 < e) by apply exp_pos. assert (HEe : e < E) by now apply exp_increasing.
  set (u := (E - e) * B / (2 * (e * E * A))).
  assert (HeEA : 0 < e * E * A) by (apply Rmult_lt_0_compat; [nra|assumption]).
  assert (Hu : 0 < u) by (apply Rdiv_lt_0_compat; nra).
  assert (Hu2 : e * E * A * u = (E - e) * B / 2) by (unfold u; field; repeat split; lra).
  exists (odds u), D. split; [now apply odds_law|]. split; [assumption|]. split.
  - split; [exists 0%nat; split; [lia|apply Hcount; lia]|].
    intros a Ha. rewrite Hcount by assumption. lia.
  - intros H. destruct (H D') as [Hc _].
    + split; [left; now exists [], (0%nat, top), D'|].
      intros x Hx. apply HD. now right.
    + specialize (Hc is_arm_0). rewrite !prob_arm_0 in Hc by assumption. cbv zeta in Hc.
      rewrite H0, H1 in Hc. fold B in Hc.
      replace ((pessimistic_score beta0 D' 0 + sensitivity top beta0 (INR (S n))) / eta)
        with (pessimistic_score beta0 D' 0 / eta + sensitivity top beta0 (INR (S n)) / eta) in Hc
        by (field; lra).
      rewrite exp_plus in Hc. fold A E e in Hc. revert Hc. apply Rlt_not_le. rewrite Rplus_0_r.
      assert (0 < u * A) by nra. assert (0 < u * (A * E)) by nra.
      apply Rmult_lt_reg_r with ((u * (A * E) + B) * (u * A + B)).
      { apply Rmult_lt_0_compat; lra. }
      replace (u * (A * E) / (u * (A * E) + B) * ((u * (A * E) + B) * (u * A + B)))
        with (u * A * (E * (u * A + B))) by (field; lra).
      replace (e * (u * A / (u * A + B)) * ((u * (A * E) + B) * (u * A + B)))
        with (u * A * (e * (u * (A * E) + B))) by (field; lra).
      apply Rmult_lt_compat_l; [assumption|].
      assert (0 < (E - e) * B) by nra. assert (0 < E * (u * A)) by nra. nra.
Qed.
