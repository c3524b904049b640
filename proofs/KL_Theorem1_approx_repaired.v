(* KL, Theorem 1 (approximate part), repaired: an arm with few records is played rarely beside one
   with many, since its score is at most R - beta0/sqrt(N). *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz.
From DPBandits Require Import Definitions Sums KL_Lemma1 KL_Theorem1.
Import ListNotations.
Open Scope R_scope.

(* --- the mass of one arm ---------------------------------------------------------------------- *)

Definition others (c a : nat) : bool := negb (Nat.eqb a c).

Lemma sum_of_one (l : list nat) f c :
  NoDup l -> 0 <= f c -> prob l f (fun a => negb (others c a)) <= f c.
Proof.
  unfold prob, others. intros Hl Hf. induction l as [|a l IH]; simpl; [assumption|].
  inversion Hl as [|? ? Hout Hin]; subst. destruct (Nat.eqb_spec a c) as [->|Hne]; simpl.
  - rewrite (sum_ext l _ (fun a => 0 * f a)), sum_scal; [lra|].
    intros a Ha. destruct (Nat.eqb_spec a c) as [->|]; [contradiction|simpl; ring].
  - specialize (IH Hin). lra.
Qed.

Lemma one_of_sum (l : list nat) f m : (forall a, In a l -> 0 <= f a) -> In m l -> f m <= sum l f.
Proof.
  induction l as [|a l IH]; simpl; intros Hf Hin; [contradiction|].
  assert (0 <= f a) by auto. assert (0 <= sum l f) by (apply sum_nonneg; auto).
  destruct Hin as [->|Hin]; [lra|]. assert (f m <= sum l f) by auto. lra.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; now apply exp_increasing|right; reflexivity]. Qed.

Lemma mass_of_one (actions : list nat) pi0 eta s c m rho g :
  0 < eta -> proper actions pi0 -> NoDup actions -> In c actions -> In m actions -> 0 <= rho ->
  0 < pi0 m -> pi0 c <= rho * pi0 m -> s c - s m <= g ->
  prob actions (policy actions pi0 eta s) (fun a => negb (others c a)) <= rho * exp (g / eta).
Proof.
  intros Heta Hpi0 Hnd Hc Hm Hrho Hpm Hratio Hgap. rewrite prob_policy.
  assert (HZ := normaliser_positive actions pi0 eta Hpi0 s).
  assert (Hw : forall a, In a actions -> 0 <= weight pi0 eta s a)
    by (intros; now apply weight_nonneg with actions).
  assert (H1 := sum_of_one actions (weight pi0 eta s) c Hnd (Hw c Hc)).
  assert (H2 := one_of_sum actions (weight pi0 eta s) m Hw Hm).
  apply Rmult_le_reg_r with (1 := HZ). unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
  rewrite Rmult_1_r. apply Rle_trans with (1 := H1).
  assert (He := exp_pos (g / eta)).
  apply Rle_trans with (rho * exp (g / eta) * weight pi0 eta s m);
    [|apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption]].
  unfold weight.
  replace (rho * exp (g / eta) * (pi0 m * exp (s m / eta)))
    with (rho * pi0 m * exp (g / eta + s m / eta)) by (rewrite exp_plus; ring).
  apply Rmult_le_compat; [apply Hpi0; assumption|left; apply exp_pos|assumption|].
  apply exp_le. assert (0 < / eta) by now apply Rinv_0_lt_compat. unfold Rdiv. nra.
Qed.

(* --- scores by counts ------------------------------------------------------------------------- *)

Lemma mean_within top D a :
  rewards_within top D -> (0 < count D a)%nat -> 0 <= mean_reward D a <= top.
Proof.
  intros HR Hc. assert (H := total_within top D a HR). apply lt_0_INR in Hc.
  unfold mean_reward. change (sum (filter (of_arm a) D) snd) with (total D a).
  assert (0 < / INR (count D a)) by now apply Rinv_0_lt_compat. unfold Rdiv. split.
  - apply Rmult_le_pos; lra.
  - apply Rmult_le_reg_r with (1 := Hc). rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma pessimism_decreases beta0 c n :
  0 <= beta0 -> (0 < c <= n)%nat -> beta0 / sqrt (INR n) <= beta0 / sqrt (INR c).
Proof.
  intros Hb [Hc Hn]. apply lt_0_INR in Hc. apply le_INR in Hn.
  apply Rmult_le_compat_l; [assumption|].
  apply Rinv_le_contravar; [now apply sqrt_lt_R0|apply sqrt_le_1; lra].
Qed.

Lemma gap_of_scores top beta0 D c m n :
  0 <= beta0 -> rewards_within top D -> (0 < count D c <= n)%nat -> (0 < count D m)%nat ->
  pessimistic_score beta0 D c - pessimistic_score beta0 D m
  <= top + beta0 / sqrt (INR (count D m)) - beta0 / sqrt (INR n).
Proof.
  intros Hb HR Hc Hm. assert (H1 := mean_within top D c HR (proj1 Hc)).
  assert (H2 := mean_within top D m HR Hm).
  assert (H3 := pessimism_decreases beta0 _ _ Hb Hc). unfold pessimistic_score. lra.
Qed.

(* --- the theorem ------------------------------------------------------------------------------ *)

Lemma close_relax {A} (actions : list A) eps delta eps' delta' p q :
  law actions q -> eps <= eps' -> delta <= delta' ->
  close actions eps delta p q -> close actions eps' delta' p q.
Proof.
  intros Hq He Hd H S. specialize (H S). apply exp_le in He.
  assert (0 <= prob actions q S) by (apply prob_nonneg; apply Hq). nra.
Qed.

Definition approx_eps (top beta0 eta : R) (n : nat) : R := sensitivity top beta0 (INR n) / eta.

Definition approx_delta (rho top beta0 eta : R) (M n : nat) : R :=
  rho * exp ((top + beta0 / sqrt (INR M) - beta0 / sqrt (INR (n - 1))) / eta).

Lemma one_record K pi0 beta0 eta top b x e m M n rho :
  0 < eta -> 0 <= beta0 -> 0 <= top -> 0 <= rho -> proper (seq 0 K) pi0 -> (m < K)%nat ->
  0 < pi0 m -> (forall a, (a < K)%nat -> pi0 a <= rho * pi0 m) -> (1 < n)%nat ->
  rewards_within top (b ++ x :: e) -> (forall a, (a < K)%nat -> (0 < count (b ++ e) a)%nat) ->
  (fst x = m -> (n <= count (b ++ x :: e) m)%nat) -> (fst x <> m -> count (b ++ e) m = M) ->
  let P := bandit_policy K pi0 beta0 eta (b ++ x :: e) in
  let Q := bandit_policy K pi0 beta0 eta (b ++ e) in
  let eps := approx_eps top beta0 eta n in
  let delta := approx_delta rho top beta0 eta M n in
  close (seq 0 K) eps delta P Q /\ close (seq 0 K) eps delta Q P.
Proof.
  intros Heta Hb HR Hrho Hpi0 Hm Hpm Hratio Hn Hrew Hcov Hown Hother P Q eps delta.
  assert (Hrew' : rewards_within top (b ++ e)).
  { intros y Hy. apply Hrew. rewrite in_app_iff in *. simpl. tauto. }
  assert (Hn2 : 2 <= INR n) by (apply (le_INR 2); lia).
  assert (Hsens := sensitivity_decreases top beta0 (INR n) (INR n) HR Hb ltac:(lra)
    (Rle_refl _)).
  assert (Hinv : 0 < / eta) by now apply Rinv_0_lt_compat.
  assert (Heps : 0 <= eps) by (unfold eps, approx_eps, Rdiv; apply Rmult_le_pos; lra).
  assert (Hdelta : 0 <= delta).
  { apply Rmult_le_pos; [assumption|left; apply exp_pos]. }
  assert (Hsame : forall a, a <> fst x -> pessimistic_score beta0 (b ++ x :: e) a
                                          = pessimistic_score beta0 (b ++ e) a).
  { intros a Ha. apply score_elsewhere, Nat.eqb_neq. congruence. }
  assert (Hself : of_arm (fst x) x = true) by apply Nat.eqb_refl.
  assert (Hcount := count_insert b e x (fst x)). rewrite Hself in Hcount.
  destruct (le_lt_dec K (fst x)) as [Hout|Hin];
    [|destruct (le_lt_dec n (count (b ++ x :: e) (fst x))) as [Hmany|Hfew]].
  - split; (apply close_relax with (eps := sensitivity top beta0 (INR n) / eta) (delta := 0);
      [now apply policy_law|apply Rle_refl|assumption|];
      apply one_score_closeness with (fst x); auto; try lra).
    + intros Hc. apply in_seq in Hc. lia.
    + intros a _ Ha. symmetry. auto.
    + intros Hc. apply in_seq in Hc. lia.
  - assert (Hc : Rabs (pessimistic_score beta0 (b ++ x :: e) (fst x)
                       - pessimistic_score beta0 (b ++ e) (fst x)) <= sensitivity top beta0 (INR n)).
    { apply Rle_trans with (sensitivity top beta0 (INR (count (b ++ x :: e) (fst x)))).
      - apply score_change; auto. specialize (Hcov _ Hin). lia.
      - apply sensitivity_decreases; auto; [lra|now apply le_INR]. }
    split; (apply close_relax with (eps := sensitivity top beta0 (INR n) / eta) (delta := 0);
      [now apply policy_law|apply Rle_refl|assumption|];
      apply one_score_closeness with (fst x); auto; try lra).
    + intros a _ Ha. symmetry. auto.
    + intros _. now rewrite Rabs_minus_sym.
  - assert (Hne : fst x <> m) by (intros E; specialize (Hown E); rewrite E in Hfew; lia).
    specialize (Hother Hne). assert (Hcc := Hcov _ Hin). assert (Hcm := Hcov _ Hm).
    assert (Hm' : count (b ++ x :: e) m = M).
    { rewrite count_insert, Hother. unfold of_arm.
      destruct (Nat.eqb_spec (fst x) m); [contradiction|lia]. }
    assert (Hmass : forall D, rewards_within top D -> count D m = M ->
      (0 < count D (fst x) <= n - 1)%nat ->
      prob (seq 0 K) (bandit_policy K pi0 beta0 eta D) (fun a => negb (others (fst x) a)) <= delta).
    { intros D HD HmD HcD. unfold delta, approx_delta, bandit_policy. rewrite <- HmD.
      apply mass_of_one with m; auto.
      - apply seq_NoDup.
      - apply in_seq. lia.
      - apply in_seq. lia.
      - apply gap_of_scores; auto. lia. }
    assert (H1 := Hmass _ Hrew Hm' ltac:(lia)). assert (H2 := Hmass _ Hrew' Hother ltac:(lia)).
    assert (H0 : 0 / eta <= eps) by (unfold Rdiv; rewrite Rmult_0_l; assumption).
    assert (Hrest : forall a, others (fst x) a = true ->
      pessimistic_score beta0 (b ++ x :: e) a = pessimistic_score beta0 (b ++ e) a).
    { intros a Ha. apply Hsame. intros ->. unfold others in Ha. now rewrite Nat.eqb_refl in Ha. }
    split; (apply close_relax with (eps := 0 / eta) (delta := delta);
      [now apply policy_law|assumption|apply Rle_refl|];
      apply range_closeness with (I := others (fst x)) (low := 0); auto; try lra);
      intros a _ Ha; rewrite (Hrest a Ha); lra.
Qed.

(* claim: KL-T1-approx | printed | repairs
   Let m be an arm with M records, π₀(a) ≤ ρ π₀(m) for all arms a, and 1 < n ≤ M. Every
   neighbour of D, each arm having a record in both, is within (ε, δ), both ways:
   ε = (R/n + β₀ (1/√(n - 1) - 1/√n))/η and
   δ = ρ exp((R + β₀/√M - β₀/√(n - 1))/η). *)
Theorem KL_T1_approx_repaired :
  forall K pi0 beta0 eta top D m n rho,
    0 < eta -> 0 <= beta0 -> 0 <= top -> 0 <= rho -> proper (seq 0 K) pi0 -> (m < K)%nat ->
    0 < pi0 m -> (forall a, (a < K)%nat -> pi0 a <= rho * pi0 m) ->
    (1 < n <= count D m)%nat -> rewards_within top D ->
    forall D', bandit_neighbours top D D' ->
      (forall a, (a < K)%nat -> (0 < count D a)%nat /\ (0 < count D' a)%nat) ->
      let P := bandit_policy K pi0 beta0 eta D in
      let Q := bandit_policy K pi0 beta0 eta D' in
      let eps := approx_eps top beta0 eta n in
      let delta := approx_delta rho top beta0 eta (count D m) n in
      close (seq 0 K) eps delta P Q /\ close (seq 0 K) eps delta Q P.
Proof.
  intros K pi0 beta0 eta top D m n rho Heta Hb HR Hrho Hpi0 Hm Hpm Hratio Hn Hrew D'
    [Hnear Hrew'] Hcov P Q eps delta.
  destruct Hnear as [(b & x & e & -> & ->)|(b & x & e & -> & ->)].
  - apply one_record with m; auto; try lia.
    + intros a Ha. apply Hcov. assumption.
    + intros Hne. rewrite count_insert. unfold of_arm.
      destruct (Nat.eqb_spec (fst x) m); [contradiction|lia].
  - apply and_comm. apply one_record with m; auto; try lia.
    + intros a Ha. apply Hcov. assumption.
    + intros _. rewrite count_insert. lia.
Qed.
