(* KL, Section 4.2: the linear contextual bandit, eq. (10), with features of dimension d = 1. The
   paper's statements are for every d, so that a counterexample with d = 1 refutes them. *)
From Coq Require Import Reals List Bool Arith ZArith Lia Lra Psatz.
From Interval Require Import Tactic.
From DPBandits Require Import Definitions Sums KL_Lemma1.
Import ListNotations.
Open Scope R_scope.

(* --- the mechanism ---------------------------------------------------------------------------- *)

(* A record is (phi(x_i, a_i), r_i); `ridge` is the paper's lambda. *)
Definition linear_record : Type := R * R.

(* Sigma_D, which is lambda_min and lambda_max when d = 1 *)
Definition covariance (ridge : R) (D : list linear_record) : R :=
  ridge + sum D (fun x => fst x * fst x).

(* b_D' Sigma_D^-1 phi *)
Definition least_squares (ridge : R) (D : list linear_record) (phi : R) : R :=
  sum D (fun x => snd x * fst x) / covariance ridge D * phi.

(* |phi|_{Sigma_D^-1} *)
Definition width (ridge : R) (D : list linear_record) (phi : R) : R :=
  sqrt (phi * phi / covariance ridge D).

Definition linear_policy {A} (actions : list A) (phi pi0 : A -> R) (ridge beta0 eta : R)
    (D : list linear_record) : A -> R :=
  policy actions pi0 eta (fun a => least_squares ridge D (phi a) - beta0 * width ridge D (phi a)).

(* Features of norm at most 1, rewards in [0, top], neighbours, positive parameters, lambda_min > 1
   *)
Definition linear_admissible {A} (actions : list A) (phi pi0 : A -> R) (top ridge beta0 eta : R)
    (D D' : list linear_record) : Prop :=
  (forall x, In x D \/ In x D' -> Rabs (fst x) <= 1 /\ 0 <= snd x <= top) /\
  (forall a, In a actions -> Rabs (phi a) <= 1) /\ proper actions pi0 /\ add_remove D D' /\
  0 < ridge /\ 0 < beta0 /\ 0 < eta /\ 1 < covariance ridge D.

Definition both_ways {A} (actions : list A) eps delta (p q : A -> R) : Prop :=
  close actions eps delta p q /\ close actions eps delta q p.

(* --- two actions ------------------------------------------------------------------------------ *)

Definition even (_ : bool) : R := 1 / 2.

Lemma even_proper : proper [true; false] even.
Proof. split; [intros a _|simpl]; unfold even; lra. Qed.

Lemma two_actions eta s chosen :
  prob [true; false] (policy [true; false] even eta s) (Bool.eqb chosen)
  = / (1 + exp (s (negb chosen) / eta - s chosen / eta)).
Proof.
  unfold prob, policy, weight, even. simpl.
  assert (0 < exp (s true / eta)) by apply exp_pos.
  assert (0 < exp (s false / eta)) by apply exp_pos.
  destruct chosen; simpl; unfold Rminus; rewrite exp_plus, exp_Ropp; field; split; lra.
Qed.

Lemma sqrt_1_over x : 0 < x -> sqrt (1 / x) = / sqrt x.
Proof. intros H. unfold Rdiv. rewrite Rmult_1_l. now rewrite sqrt_inv. Qed.

Definition sign (a : bool) : R := if a then 1 else -1.

Definition one_or_zero (a : bool) : R := if a then 1 else 0.

(* --- Theorem 2, the appendix's pure bound ----------------------------------------------------- *)

(* claim: KL-T2-pure-appendix | printed | refutes
   Paper, end of Appendix C, with λ₀ = l = λ_min(D) > 1: ε₀ private with
   ε₀ = ((1 + √(n d/(l - 1))) R/√l + β₀/(2 (l - 1)))/(η √l).
   Here: d = 1, λ = 1, R = 1, records φ = -1, -1, +1, all of reward 1; actions φ = +1, -1,
   uniform π₀, β₀ = 1/10, η = 1/20; remove the record φ = +1. *)
Theorem KL_T2_pure_appendix_false :
  ~ (forall A (actions : list A) phi pi0 top ridge beta0 eta D D',
       linear_admissible actions phi pi0 top ridge beta0 eta D D' ->
       let n := INR (length D) in
       let l := covariance ridge D in
       both_ways actions
         (((1 + sqrt (n * 1 / (l - 1))) * top / sqrt l + beta0 / (2 * (l - 1))) / (eta * sqrt l)) 0
         (linear_policy actions phi pi0 ridge beta0 eta D)
         (linear_policy actions phi pi0 ridge beta0 eta D')).
Proof.
  intros H.
  specialize (H bool [true; false] sign even 1 1 (1 / 10) (1 / 20)
    [(-1, 1); (-1, 1); (1, 1)] [(-1, 1); (-1, 1)]).
  cbv zeta in H. destruct H as [H _].
  - repeat split; unfold covariance; simpl; try lra.
    + destruct H as [H|H]; simpl in H; intuition subst; simpl; apply Rabs_le; lra.
    + destruct H as [H|H]; simpl in H; intuition subst; simpl; lra.
    + destruct H as [H|H]; simpl in H; intuition subst; simpl; lra.
    + intros [|] _; simpl; apply Rabs_le; lra.
    + intros a _. unfold even. lra.
    + unfold even. lra.
    + left. now exists [(-1, 1); (-1, 1)], (1, 1), [].
  - specialize (H (Bool.eqb true)). unfold linear_policy in H. rewrite !two_actions in H.
    unfold least_squares, width, covariance in H. simpl in H.
    revert H. apply Rlt_not_le. interval with (i_prec 64).
Qed.

(* --- Theorem 2, approximate part -------------------------------------------------------------- *)

(* 10 or 9 records of reward 1, 89 of reward 0, all with phi = 1 *)
Definition hundred (ones : nat) : list linear_record := repeat (1, 1) ones ++ repeat (1, 0) 89.

(* claim: KL-T2-approx | printed | instance
   Paper: for every λ₀ > 0, (ε, δ) DP, with n = |D|, l = λ_min(D), ε = (2 (1 +
   √(n d/(l - 1))) R/√(l - 1) + β₀/(l - 1))/(η √λ₀), δ = |A| e^ε
   exp(β₀/η (min_a |φ(x, a)|_{Σ_D⁻¹} - 1/√λ₀)). Here: d = 1, λ = 1, R
   = 1, 99 records φ = 1, 10 of reward 1, the others 0; actions φ = 1 and φ = 0, uniform
   π₀, β₀ = 1, η = 1/1000, λ₀ = 10000; remove a record of reward 1. *)
Theorem KL_T2_approx_false :
  ~ (forall A (actions : list A) phi pi0 top ridge beta0 eta D D' lambda0 narrowest,
       linear_admissible actions phi pi0 top ridge beta0 eta D D' -> 0 < lambda0 ->
       (exists a, In a actions /\ width ridge D (phi a) = narrowest) ->
       (forall a, In a actions -> narrowest <= width ridge D (phi a)) ->
       let n := INR (length D) in
       let l := covariance ridge D in
       let eps := (2 * (1 + sqrt (n * 1 / (l - 1))) * top / sqrt (l - 1) + beta0 / (l - 1))
                  / (eta * sqrt lambda0) in
       both_ways actions eps
         (INR (length actions) * exp eps * exp (beta0 / eta * (narrowest - 1 / sqrt lambda0)))
         (linear_policy actions phi pi0 ridge beta0 eta D)
         (linear_policy actions phi pi0 ridge beta0 eta D')).
Proof.
  intros H.
  specialize (H bool [true; false] one_or_zero even 1 1 1 (1 / 1000) (hundred 10) (hundred 9) 10000
    0).
  assert (Hin : forall n x, In x (hundred n) -> x = (1, 1) \/ x = (1, 0)).
  { intros n x Hx. unfold hundred in Hx. rewrite in_app_iff in Hx.
    destruct Hx as [Hx|Hx]; apply repeat_spec in Hx; auto. }
  assert (HS : forall n, covariance 1 (hundred n) = INR n + 90).
  { intros n. unfold covariance, hundred. rewrite sum_app, !sum_repeat. simpl fst.
    replace (INR 89) with 89 by (rewrite INR_IZR_INZ; reflexivity). ring. }
  assert (Hb : forall n, sum (hundred n) (fun x => snd x * fst x) = INR n).
  { intros n. unfold hundred. rewrite sum_app, !sum_repeat. simpl. ring. }
  assert (H10 : INR 10 = 10) by (rewrite INR_IZR_INZ; reflexivity).
  assert (H9 : INR 9 = 9) by (rewrite INR_IZR_INZ; reflexivity).
  assert (H99 : INR (length (hundred 10)) = 99) by (rewrite INR_IZR_INZ; reflexivity).
  assert (Hzero : width 1 (hundred 10) 0 = 0).
  { unfold width, Rdiv. rewrite !Rmult_0_l. apply sqrt_0. }
  cbv zeta in H. rewrite H99, HS, H10 in H. destruct H as [H _].
  - repeat split; try lra.
    + destruct H as [H|H]; apply Hin in H as [-> | ->]; simpl; apply Rabs_le; lra.
    + destruct H as [H|H]; apply Hin in H as [-> | ->]; simpl; lra.
    + destruct H as [H|H]; apply Hin in H as [-> | ->]; simpl; lra.
    + intros [|] _; simpl; apply Rabs_le; lra.
    + intros a _. unfold even. lra.
    + simpl. unfold even. lra.
    + left. now exists [], (1, 1), (hundred 9).
    + rewrite HS, H10. lra.
  - lra.
  - exists false. split; [simpl; tauto|]. exact Hzero.
  - intros [|] _; [apply sqrt_pos|right; symmetry; exact Hzero].
  - specialize (H (Bool.eqb true)). unfold linear_policy in H. rewrite !two_actions in H.
    unfold least_squares, width in H. rewrite !HS, !Hb, H10, H9 in H. simpl in H.
    revert H. apply Rlt_not_le. interval with (i_prec 64).
Qed.

(* --- Corollary 2, approximate part ------------------------------------------------------------ *)

Definition crowd (n : nat) : list linear_record := repeat (1 / 10, 0) n.
Definition lone_leader (n : nat) : list linear_record := (1, 1) :: crowd n.

(* claim: KL-C2 | printed | instance
   Paper: if λ_min(D) ≥ 1 + n/(k1 d), then for every c in (0, 1), (c ε₀, δ) DP with
   ε₀ = k1 d/(n η) (2 R (1 + √k1 d) + β₀ √(k1 d/n)), δ = |A| e^(c ε₀)
   exp(β₀/η √(d/n) (1 - √(c k1))). Here: d = 1, λ = 1, R = 1, 9900 records φ =
   1/10 of reward 0 and one φ = 1 of reward 1, k1 = 100; actions φ = +1, -1, uniform π₀,
   β₀ = 4, η = 1/1010, c = 144/10000; remove the record φ = 1. *)
Theorem KL_C2_false :
  ~ (forall A (actions : list A) phi pi0 top ridge beta0 eta D D' k1 c,
       linear_admissible actions phi pi0 top ridge beta0 eta D D' -> 0 < k1 -> 0 < c < 1 ->
       let n := INR (length D) in
       1 + n / (k1 * 1) <= covariance ridge D ->
       let eps := c * (k1 * 1 / (n * eta)
                       * (2 * top * (1 + sqrt k1 * 1) + beta0 * sqrt (k1 * 1 / n))) in
       both_ways actions eps
         (INR (length actions) * exp eps
          * exp (beta0 / eta * sqrt (1 / n) * (1 - sqrt (c * k1))))
         (linear_policy actions phi pi0 ridge beta0 eta D)
         (linear_policy actions phi pi0 ridge beta0 eta D')).
Proof.
  intros H.
  assert (Hmany : INR (Z.to_nat 9900) = 9900) by (rewrite INR_IZR_INZ, Z2Nat.id by lia;
    reflexivity).
  revert Hmany. generalize (Z.to_nat 9900) as m. intros m Hmany.
  specialize (H bool [true; false] sign even 1 1 4 (1 / 1010) (lone_leader m) (crowd m) 100
    (144 / 10000)).
  assert (Hn : INR (length (lone_leader m)) = 9901).
  { unfold lone_leader, crowd. simpl length. rewrite repeat_length, S_INR, Hmany. lra. }
  assert (HS : covariance 1 (crowd m) = 100).
  { unfold covariance, crowd. rewrite sum_repeat, Hmany. simpl. lra. }
  assert (HS1 : covariance 1 (lone_leader m) = 101).
  { transitivity (covariance 1 (crowd m) + 1); [unfold covariance; simpl; ring|lra]. }
  assert (Hb : sum (crowd m) (fun x => snd x * fst x) = 0).
  { unfold crowd. rewrite sum_repeat. simpl. ring. }
  cbv zeta in H. rewrite Hn, HS1 in H. destruct H as [_ H]; try lra.
  - assert (Hin : forall x, In x (lone_leader m) -> x = (1, 1) \/ x = (1 / 10, 0)).
    { intros x [<-|Hx]; [now left|]. apply repeat_spec in Hx. now right. }
    assert (Hin' : forall x, In x (lone_leader m) \/ In x (crowd m) -> x = (1, 1) \/ x = (1 / 10,
      0)).
    { intros x [Hx|Hx]; apply Hin; [assumption|now right]. }
    repeat split; try lra.
    + apply Hin' in H as [-> | ->]; simpl; apply Rabs_le; lra.
    + apply Hin' in H as [-> | ->]; simpl; lra.
    + apply Hin' in H as [-> | ->]; simpl; lra.
    + intros [|] _; simpl; apply Rabs_le; lra.
    + intros a _. unfold even. lra.
    + simpl. unfold even. lra.
    + left. now exists [], (1, 1), (crowd m).
  - specialize (H (Bool.eqb false)). unfold linear_policy in H. rewrite !two_actions in H.
    unfold least_squares, width in H. rewrite !HS, !HS1, Hb in H.
    unfold lone_leader in H. simpl sum in H. rewrite Hb in H. simpl in H. revert H.
    apply Rlt_not_le. interval with (i_prec 64).
Qed.
