(* KL, Theorem 1 (approximate part) and Corollary 1 are false: the best-looking arm has two records,
   the policy plays it nearly always, and drops it when one of the two is removed. *)
From Coq Require Import Reals List Bool Arith ZArith Lia Lra Psatz.
From Interval Require Import Tactic.
From DPBandits Require Import Definitions Sums KL_Lemma1 KL_Theorem1.
Import ListNotations.
Open Scope R_scope.

(* What the paper asks of a pair of data sets, and more: each arm has a record in both, so that no
   score divides by zero. *)
Definition admissible (K : nat) (top : R) (D D' : list bandit_record) : Prop :=
  rewards_within top D /\ bandit_neighbours top D D' /\
  (forall x, In x D -> (fst x < K)%nat) /\
  forall a, (a < K)%nat -> (0 < count D a)%nat /\ (0 < count D' a)%nat.

(* --- the counterexample ----------------------------------------------------------------------- *)

(* `ones` records of arm 0 with reward 1, `zeros` records of arm 1 with reward 0 *)
Definition two_arms (ones zeros : nat) : list bandit_record :=
  repeat (0%nat, 1) ones ++ repeat (1%nat, 0) zeros.

Definition half (_ : nat) : R := 1 / 2.

Lemma filter_repeat a (x : bandit_record) n :
  filter (of_arm a) (repeat x n) = if of_arm a x then repeat x n else [].
Proof. induction n; simpl; destruct (of_arm a x); auto. now rewrite IHn. Qed.

Lemma two_arms_count n m a : (a < 2)%nat -> count (two_arms n m) a = if Nat.eqb a 0 then n else m.
Proof.
  intros H. unfold count, two_arms. rewrite filter_app, !filter_repeat, app_length.
  destruct a as [|[|a]]; [| |lia]; simpl; rewrite ?repeat_length; lia.
Qed.

Lemma two_arms_score beta0 n m a : (a < 2)%nat -> (0 < n)%nat -> (0 < m)%nat ->
  pessimistic_score beta0 (two_arms n m) a
  = if Nat.eqb a 0 then 1 - beta0 / sqrt (INR n) else - (beta0 / sqrt (INR m)).
Proof.
  intros H Hn Hm. unfold pessimistic_score, mean_reward. rewrite two_arms_count by assumption.
  assert (0 < INR n) by now apply lt_0_INR. assert (0 < INR m) by now apply lt_0_INR.
  unfold two_arms. rewrite filter_app, !filter_repeat, sum_app.
  assert (sqrt (INR n) <> 0) by (apply Rgt_not_eq, sqrt_lt_R0; lra).
  assert (sqrt (INR m) <> 0) by (apply Rgt_not_eq, sqrt_lt_R0; lra).
  destruct a as [|[|a]]; [| |lia]; unfold of_arm; simpl fst; simpl Nat.eqb; cbv iota;
    rewrite ?sum_repeat; simpl; field; lra.
Qed.

Lemma two_arms_admissible m : (0 < m)%nat -> admissible 2 1 (two_arms 2 m) (two_arms 1 m).
Proof.
  intros Hm.
  assert (Hin : forall n x, In x (two_arms n m) -> x = (0%nat, 1) \/ x = (1%nat, 0)).
  { intros n x Hx. unfold two_arms in Hx. rewrite in_app_iff in Hx.
    destruct Hx as [Hx|Hx]; apply repeat_spec in Hx; auto. }
  assert (Hrew : forall n, rewards_within 1 (two_arms n m)).
  { intros n x Hx. apply Hin in Hx as [-> | ->]; simpl; lra. }
  repeat split; try apply (Hrew _ _ H).
  - left. now exists [], (0%nat, 1), (two_arms 1 m).
  - intros x Hx. apply Hin in Hx as [-> | ->]; simpl; lia.
  - rewrite two_arms_count by assumption. destruct (Nat.eqb a 0); lia.
  - rewrite two_arms_count by assumption. destruct (Nat.eqb a 0); lia.
Qed.

Definition is_arm_0 (a : nat) : bool := Nat.eqb a 0.

Lemma policy_of_two n m :
  prob (seq 0 2) (bandit_policy 2 half (6 / 5) (1 / 100) (two_arms (S n) (S m))) is_arm_0
  = / (1 + exp (- (100 * (1 - 6 / 5 / sqrt (INR (S n)) + 6 / 5 / sqrt (INR (S m)))))).
Proof.
  unfold prob, bandit_policy, policy, weight, half. simpl seq. simpl sum. unfold is_arm_0.
  simpl Nat.eqb.
  cbv iota. rewrite !two_arms_score by lia. simpl Nat.eqb. cbv iota.
  set (u := 1 - 6 / 5 / sqrt (INR (S n))). set (v := 6 / 5 / sqrt (INR (S m))).
  replace (- (100 * (u + v))) with (- v / (1 / 100) + - (u / (1 / 100))) by field.
  rewrite exp_plus, exp_Ropp.
  assert (0 < exp (u / (1 / 100))) by apply exp_pos.
  assert (0 < exp (- v / (1 / 100))) by apply exp_pos.
  field. repeat split; lra.
Qed.

Definition many : nat := Z.to_nat 9999. (* and one more *)

Lemma INR_many : INR (S many) = 10000.
Proof. rewrite INR_IZR_INZ. reflexivity. Qed.

Lemma common_arm : largest_count 2 (two_arms 2 (S many)) (S many).
Proof.
  split.
  - exists 1%nat. split; [lia|]. now rewrite two_arms_count by lia.
  - intros a Ha. rewrite two_arms_count by assumption. destruct (Nat.eqb a 0); unfold many; lia.
Qed.

(* No eps up to 3 and delta up to 1/10 suffice. *)
Lemma rare_leader eps delta :
  eps <= 3 -> delta <= 1 / 10 ->
  ~ close (seq 0 2) eps delta (bandit_policy 2 half (6 / 5) (1 / 100) (two_arms 2 (S many)))
      (bandit_policy 2 half (6 / 5) (1 / 100) (two_arms 1 (S many))).
Proof.
  intros He Hd H. specialize (H is_arm_0). rewrite !policy_of_two, INR_many in H.
  change (INR 2) with 2 in H. change (INR 1) with 1 in H. revert H. apply Rlt_not_le.
  apply Rle_lt_trans with (exp 3 * / (1 + exp (- (100 * (1 - 6 / 5 / sqrt 1 + 6 / 5 / sqrt 10000))))
                           + 1 / 10).
  - apply Rplus_le_compat; [|assumption]. apply Rmult_le_compat_r.
    + left. apply Rinv_0_lt_compat.
    assert (H := exp_pos (- (100 * (1 - 6 / 5 / sqrt 1 + 6 / 5 / sqrt 10000)))).
      lra.
    + destruct He as [Hlt| ->]; [left; now apply exp_increasing|right; reflexivity].
  - interval with (i_prec 64).
Qed.

Lemma half_proper : proper (seq 0 2) half.
Proof. split; [intros a _|simpl]; unfold half; lra. Qed.

(* --- Theorem 1 -------------------------------------------------------------------------------- *)

Definition theorem1_eps (top beta0 eta N0 : R) : R :=
  (4 * top / N0 + beta0 / Rpower N0 (3 / 2)) / eta.

Definition theorem1_delta (K : nat) (top beta0 eta M N0 : R) : R :=
  INR K * exp (4 * top / (eta * N0)
               + beta0 / eta * (1 / sqrt M - 1 / sqrt N0 + 1 / Rpower N0 (3 / 2))).

(* claim: KL-T1-approx | printed | refutes
   Paper: for every N₀ > 0 and whatever the coverage, (ε, δ) DP with
   ε = (4 R/N₀ + β₀/N₀^(3/2))/η and, M = max_a N(a; D),
   δ = |A| exp(4 R/(η N₀) + β₀/η (1/√M - 1/√N₀ + 1/N₀^(3/2))).
   Here: arm 0 has 2 records of reward 1, arm 1 has 10000 of reward 0; uniform π₀, R = 1,
   β₀ = 6/5, η = 1/100, N₀ = 400; remove one record of arm 0. *)
Theorem KL_T1_approx_false :
  ~ (forall K pi0 beta0 eta top D M N0,
       0 < eta -> 0 < beta0 -> 0 <= top -> proper (seq 0 K) pi0 -> largest_count K D M -> 0 < N0 ->
       forall D', admissible K top D D' ->
         close (seq 0 K) (theorem1_eps top beta0 eta N0)
           (theorem1_delta K top beta0 eta (INR M) N0)
           (bandit_policy K pi0 beta0 eta D) (bandit_policy K pi0 beta0 eta D')).
Proof.
  intros H.
  specialize (H 2%nat half (6 / 5) (1 / 100) 1 (two_arms 2 (S many)) (S many) 400
    ltac:(lra) ltac:(lra) ltac:(lra) half_proper common_arm ltac:(lra) (two_arms 1 (S many))
    (two_arms_admissible (S many) ltac:(lia))).
  revert H. apply rare_leader; unfold theorem1_eps, theorem1_delta, Rpower.
  - interval with (i_prec 64).
  - rewrite INR_many. change (INR 2) with 2. interval with (i_prec 64).
Qed.

(* --- Corollary 1 ------------------------------------------------------------------------------ *)

(* The larger of its two printed eps, and its delta; the paper's delta has `unit` = 1, where its
   Theorem 1 would give 1/eta. *)
Definition corollary1_eps (top beta0 eta M k : R) : R :=
  1 / (eta * M) * (4 * k * top + Rpower k (3 / 2) * beta0).

Definition corollary1_delta (K : nat) (top beta0 eta M k unit : R) : R :=
  INR K * exp (- (beta0 / eta * ((sqrt k - 1) / sqrt M)) + 4 * k * top / M * unit
               + beta0 / eta * (Rpower k (3 / 2) / Rpower M (3 / 2))).

Definition corollary1 (unit : R -> R) : Prop :=
  forall K pi0 beta0 eta top D M k,
    0 < eta -> 0 < beta0 -> 0 <= top -> proper (seq 0 K) pi0 -> largest_count K D M -> 0 < k ->
    forall D', admissible K top D D' ->
      close (seq 0 K) (corollary1_eps top beta0 eta (INR M) k)
        (corollary1_delta K top beta0 eta (INR M) k (unit eta))
        (bandit_policy K pi0 beta0 eta D) (bandit_policy K pi0 beta0 eta D').

(* claim: KL-C1 | printed | refutes
   Paper: for every data set and k > 0, with M = max_a N(a; D), (ε, δ) DP with
   ε = (4 k R + k^(3/2) β₀/√M)/(η M) ≤ (4 k R + k^(3/2) β₀)/(η M) and
   δ = |A| exp(-β₀/η (√k - 1)/√M + 4 k R/M + β₀/η k^(3/2)/M^(3/2)).
   Here: false with the larger ε, and also if 4 k R/M is given the factor 1/η that it lacks;
   the data of KL_T1_approx_false, k = 25. *)
Theorem KL_C1_false : ~ corollary1 (fun _ => 1) /\ ~ corollary1 (fun eta => 1 / eta).
Proof.
  split; intros H;
  specialize (H 2%nat half (6 / 5) (1 / 100) 1 (two_arms 2 (S many)) (S many) 25
    ltac:(lra) ltac:(lra) ltac:(lra) half_proper common_arm ltac:(lra) (two_arms 1 (S many))
    (two_arms_admissible (S many) ltac:(lia)));
  revert H; rewrite INR_many; apply rare_leader; unfold corollary1_eps, corollary1_delta;
  change (INR 2) with 2; rewrite ?Rpower_3_2 by lra.
  all: unfold Rpower; interval with (i_prec 64).
Qed.
