(* KL, Theorem 1 and Corollary 1: the pessimistic offline bandit, eq. (8). *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz.
From Interval Require Import Tactic.
From DPBandits Require Import Definitions Sums KL_Lemma1.
Import ListNotations.
Open Scope R_scope.

(* --- what one record does --------------------------------------------------------------------- *)

Definition total (D : list bandit_record) (a : nat) : R := sum (filter (of_arm a) D) snd.

Lemma count_insert D E x a :
  count (D ++ x :: E) a = (count (D ++ E) a + if of_arm a x then 1 else 0)%nat.
Proof.
  unfold count. rewrite !filter_app, !app_length. simpl. destruct (of_arm a x); simpl; lia.
Qed.

Lemma total_insert D E x a :
  total (D ++ x :: E) a = total (D ++ E) a + if of_arm a x then snd x else 0.
Proof.
  unfold total. rewrite !filter_app, !sum_app. simpl. destruct (of_arm a x); simpl; ring.
Qed.

Lemma total_within top D a : rewards_within top D -> 0 <= total D a <= INR (count D a) * top.
Proof.
  unfold total, count. induction D as [|x D IH]; intros H; simpl; [lra|].
  assert (Hx := H x (or_introl eq_refl)).
  assert (HD : rewards_within top D) by (intros y Hy; apply H; now right).
  specialize (IH HD). destruct (of_arm a x); [|exact IH].
  change (length (x :: filter (of_arm a) D)) with (S (length (filter (of_arm a) D))).
  rewrite S_INR. simpl sum. lra.
Qed.

(* The exact change of a score whose larger count is N: what Theorem 1 needs. *)
Definition sensitivity (top beta0 N : R) : R := top / N + beta0 * (/ sqrt (N - 1) - / sqrt N).

Lemma inverse_gap a b : 0 < a -> 0 < b -> b * b - a * a = 1 -> / a - / b = / (a * b * (a + b)).
Proof.
  intros Ha Hb H. assert (a * b * (a + b) <> 0) by (assert (0 < a * b) by nra; nra).
  apply Rmult_eq_reg_r with (a * b * (a + b)); [|assumption].
  rewrite Rinv_l by assumption.
  replace ((/ a - / b) * (a * b * (a + b))) with (b * b - a * a) by (field; lra). assumption.
Qed.

Lemma pessimism_gap N : 1 < N ->
  / sqrt (N - 1) - / sqrt N = / (sqrt (N - 1) * sqrt N * (sqrt (N - 1) + sqrt N)).
Proof.
  intros H. apply inverse_gap; try (apply sqrt_lt_R0; lra). rewrite !sqrt_sqrt; lra.
Qed.

Lemma sensitivity_decreases top beta0 M N :
  0 <= top -> 0 <= beta0 -> 1 < M -> M <= N ->
  0 <= sensitivity top beta0 N <= sensitivity top beta0 M.
Proof.
  intros HR Hb HM HN. unfold sensitivity. rewrite !pessimism_gap by lra.
  assert (0 < sqrt (M - 1)) by (apply sqrt_lt_R0; lra).
  assert (0 < sqrt M) by (apply sqrt_lt_R0; lra).
  assert (sqrt (M - 1) <= sqrt (N - 1)) by (apply sqrt_le_1; lra).
  assert (sqrt M <= sqrt N) by (apply sqrt_le_1; lra).
  assert (0 < sqrt (M - 1) * sqrt M) by nra.
  assert (sqrt (M - 1) * sqrt M <= sqrt (N - 1) * sqrt N) by nra.
  assert (Hgap : 0 <= / (sqrt (N - 1) * sqrt N * (sqrt (N - 1) + sqrt N))
          <= / (sqrt (M - 1) * sqrt M * (sqrt (M - 1) + sqrt M))).
  { split; [left; apply Rinv_0_lt_compat; nra|apply Rinv_le_contravar; nra]. }
  assert (Hinv : 0 <= / N <= / M).
  { split; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]. }
  unfold Rdiv. split.
  - apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
  - apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Lemma score_elsewhere beta0 D E x a :
  of_arm a x = false ->
  pessimistic_score beta0 (D ++ x :: E) a = pessimistic_score beta0 (D ++ E) a.
Proof.
  intros H. unfold pessimistic_score, mean_reward.
  change (sum (filter (of_arm a) (D ++ x :: E)) snd) with (total (D ++ x :: E) a).
  change (sum (filter (of_arm a) (D ++ E)) snd) with (total (D ++ E) a).
  rewrite count_insert, total_insert, H, Nat.add_0_r, Rplus_0_r. reflexivity.
Qed.

Lemma score_change top beta0 D E x a :
  0 <= beta0 -> rewards_within top (D ++ x :: E) -> of_arm a x = true ->
  (1 <= count (D ++ E) a)%nat ->
  Rabs (pessimistic_score beta0 (D ++ x :: E) a - pessimistic_score beta0 (D ++ E) a)
  <= sensitivity top beta0 (INR (count (D ++ x :: E) a)).
Proof.
  intros Hb HR Ha Hc. unfold pessimistic_score, mean_reward, sensitivity.
  change (sum (filter (of_arm a) (D ++ x :: E)) snd) with (total (D ++ x :: E) a).
  change (sum (filter (of_arm a) (D ++ E)) snd) with (total (D ++ E) a).
  rewrite count_insert, total_insert, Ha.
  assert (Hx : 0 <= snd x <= top) by (apply HR; rewrite in_app_iff; right; now left).
  assert (HS : 0 <= total (D ++ E) a <= INR (count (D ++ E) a) * top).
  { apply total_within. intros y Hy. apply HR. rewrite in_app_iff in *. simpl. tauto. }
  set (n := INR (count (D ++ E) a)) in *. set (S := total (D ++ E) a) in *.
  assert (Hn : 1 <= n) by (apply (le_INR 1); exact Hc).
  replace (INR (count (D ++ E) a + 1)) with (n + 1) by (rewrite plus_INR; reflexivity).
  replace (n + 1 - 1) with n by ring.
  assert (0 < sqrt n) by (apply sqrt_lt_R0; lra).
  assert (sqrt n <= sqrt (n + 1)) by (apply sqrt_le_1; lra).
  assert (/ sqrt (n + 1) <= / sqrt n) by now apply Rinv_le_contravar.
  assert (0 <= beta0 * (/ sqrt n - / sqrt (n + 1))) by (apply Rmult_le_pos; lra).
  replace ((S + snd x) / (n + 1) - beta0 / sqrt (n + 1) - (S / n - beta0 / sqrt n))
    with ((n * snd x - S) / n * / (n + 1) + beta0 * (/ sqrt n - / sqrt (n + 1)))
    by (field; repeat split; lra).
  assert (Hm : - top <= (n * snd x - S) / n <= top).
  { assert (0 < / n) by (apply Rinv_0_lt_compat; lra).
    assert (Hu : n * snd x <= n * top) by (apply Rmult_le_compat_l; lra).
    assert (Hl : 0 <= n * snd x) by (apply Rmult_le_pos; lra).
    assert (E1 : n * / n = 1) by (apply Rinv_r; lra). split.
    - apply Rmult_le_reg_r with n; [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, (Rmult_comm (/ n)), E1. lra.
    - apply Rmult_le_reg_r with n; [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, (Rmult_comm (/ n)), E1. lra. }
  assert (0 < / (n + 1)) by (apply Rinv_0_lt_compat; lra).
  unfold Rdiv in *. apply Rabs_le. split; nra.
Qed.

(* --- the pure part ---------------------------------------------------------------------------- *)

Lemma one_score_closeness (actions : list nat) pi0 eta s s' c omega :
  0 < eta -> proper actions pi0 ->
  (forall a, In a actions -> a <> c -> s a = s' a) ->
  (In c actions -> Rabs (s c - s' c) <= omega) -> 0 <= omega ->
  close actions (omega / eta) 0 (policy actions pi0 eta s) (policy actions pi0 eta s').
Proof.
  intros Heta Hpi0 Hsame Hc Homega.
  assert (zero : forall t, prob actions (policy actions pi0 eta t) (fun _ => negb true) <= 0).
  { intros t. unfold prob. simpl. rewrite (sum_ext _ _ (fun a => 0 * policy actions pi0 eta t a))
      by (intros; ring). rewrite sum_scal. lra. }
  apply range_closeness with (I := fun _ => true) (low := Rmax (- omega) (Rmin 0 (s c - s' c)));
    auto.
  intros a Ha _. destruct (Nat.eq_dec a c) as [->|Hne].
  - assert (H := Rabs_def2_le _ _ (Hc Ha)).
    unfold Rmin, Rmax; destruct (Rle_dec 0 (s c - s' c)); destruct (Rle_dec _ _); lra.
  - rewrite (Hsame a Ha Hne).
    unfold Rmin, Rmax; destruct (Rle_dec 0 (s c - s' c)); destruct (Rle_dec _ _); lra.
Qed.

(* claim: KL-T1-pure | printed | repairs
   The smallest such constant: with m = min_a N(a; D) > 1, every neighbour of D is within
   (R/m + β₀ (1/√(m - 1) - 1/√m))/η, both ways. *)
Theorem KL_T1_pure_repaired :
  forall K pi0 beta0 eta top D m,
    0 < eta -> 0 <= beta0 -> 0 <= top -> proper (seq 0 K) pi0 -> rewards_within top D ->
    least_count K D m -> (1 < m)%nat ->
    dp_at (bandit_neighbours top) (seq 0 K) (sensitivity top beta0 (INR m) / eta) 0
      (bandit_policy K pi0 beta0 eta) D.
Proof.
  intros K pi0 beta0 eta top D m Heta Hb HR Hpi0 Hrew Hm H1 D' [Hnear Hrew'].
  assert (H2 : 2 <= INR m) by (apply (le_INR 2); lia).
  assert (E0 := fun N H => sensitivity_decreases top beta0 (INR m) N HR Hb ltac:(lra) H).
  enough (exists c,
      (forall a, a <> c -> pessimistic_score beta0 D a = pessimistic_score beta0 D' a) /\
      (In c (seq 0 K) -> Rabs (pessimistic_score beta0 D c - pessimistic_score beta0 D' c)
                         <= sensitivity top beta0 (INR m))) as (c & Hsame & Hc).
  { assert (H0 := proj1 (E0 (INR m) (Rle_refl _))).
    split; apply one_score_closeness with c; auto.
    - intros a Ha Hne. symmetry. auto.
    - rewrite Rabs_minus_sym. exact Hc. }
  destruct Hnear as [(b & x & e & -> & ->)|(b & x & e & -> & ->)]; exists (fst x); split.
  1, 3: intros a Hne; (apply score_elsewhere || (symmetry; apply score_elsewhere));
    apply Nat.eqb_neq; congruence.
  all: intros Hin; apply in_seq in Hin;
    assert (Hself : of_arm (fst x) x = true) by apply Nat.eqb_refl;
    assert (Hle := proj2 Hm (fst x) ltac:(lia));
    assert (Hc := count_insert b e x (fst x)); rewrite Hself in Hc.
  2: rewrite Rabs_minus_sym.
  all: apply Rle_trans with (sensitivity top beta0 (INR (count (b ++ x :: e) (fst x)))).
  1, 3: apply score_change; auto; lia.
  all: apply E0, le_INR; lia.
Qed.

Definition theorem1_pure (top beta0 eta m : R) : R :=
  (4 * top / (m - 1) + beta0 / Rpower (m - 1) (3 / 2)) / eta.

Lemma Rpower_3_2 x : 0 < x -> Rpower x (3 / 2) = sqrt x * sqrt x * sqrt x.
Proof.
  intros H. replace (3 / 2) with (1 + / 2) by field.
  rewrite Rpower_plus, Rpower_1, Rpower_sqrt, sqrt_sqrt by lra. reflexivity.
Qed.

Lemma close_weaken {A} (actions : list A) eps eps' p q :
  law actions q -> eps <= eps' -> close actions eps 0 p q -> close actions eps' 0 p q.
Proof.
  intros Hq Hle H S. specialize (H S).
  assert (0 <= prob actions q S) by (apply prob_nonneg; apply Hq).
  assert (exp eps <= exp eps') by (destruct Hle as [Hlt| ->];
    [left; now apply exp_increasing|right; reflexivity]). nra.
Qed.

(* claim: KL-T1-pure | printed | holds
   Paper, (9): with m = min_a N(a; D) > 1 the policy (8) is ε₀ private,
   ε₀ = (4 R/(m - 1) + β₀/(m - 1)^(3/2))/η. *)
Theorem KL_T1_pure :
  forall K pi0 beta0 eta top D m,
    0 < eta -> 0 <= beta0 -> 0 <= top -> proper (seq 0 K) pi0 -> rewards_within top D ->
    least_count K D m -> (1 < m)%nat ->
    dp_at (bandit_neighbours top) (seq 0 K) (theorem1_pure top beta0 eta (INR m)) 0
      (bandit_policy K pi0 beta0 eta) D.
Proof.
  intros K pi0 beta0 eta top D m Heta Hb HR Hpi0 Hrew Hm H1 D' Hnear.
  assert (H2 : 2 <= INR m) by (apply (le_INR 2); lia).
  assert (Hle : sensitivity top beta0 (INR m) / eta <= theorem1_pure top beta0 eta (INR m)).
  { unfold sensitivity, theorem1_pure. set (x := INR m) in *.
    rewrite pessimism_gap, Rpower_3_2 by lra.
    assert (0 < sqrt (x - 1)) by (apply sqrt_lt_R0; lra).
    assert (sqrt (x - 1) <= sqrt x) by (apply sqrt_le_1; lra).
    assert (0 < sqrt (x - 1) * sqrt (x - 1)) by nra.
    assert (sqrt (x - 1) * sqrt (x - 1) <= sqrt (x - 1) * sqrt x) by nra.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rplus_le_compat.
    - unfold Rdiv. rewrite Rmult_assoc, (Rmult_comm 4), Rmult_assoc.
      apply Rmult_le_compat_l; [assumption|].
      assert (/ x <= / (x - 1)) by (apply Rinv_le_contravar; lra).
      assert (0 < / (x - 1)) by (apply Rinv_0_lt_compat; lra). lra.
    - apply Rmult_le_compat_l; [assumption|]. apply Rinv_le_contravar; nra. }
  destruct (KL_T1_pure_repaired K pi0 beta0 eta top D m Heta Hb HR Hpi0 Hrew Hm H1 D' Hnear).
  split; apply close_weaken with (2 := Hle); auto; now apply policy_law.
Qed.
