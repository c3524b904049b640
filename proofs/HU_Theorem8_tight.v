(* HU, Theorem 8: the factor 2 of the repair is the least, already with two arms. *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From DPBandits Require Import Definitions Sums Laplace HU_Theorem8.
Import ListNotations.
Open Scope R_scope.

(* Nothing happens before epoch r. In it the second arm always has reward 1, the first 0; but in its
   first round the first arm has it, if `once`. *)
Definition late (r : nat) (once : bool) : rewards := fun t j =>
  if t <? 2 ^ r then 0
  else if (once && (t =? 2 ^ r))%bool then (if j =? 0 then 1 else 0)
  else (if j =? 1 then 1 else 0).

Definition first_arm_only (leaders : list nat) : bool := forallb (Nat.eqb 0) leaders.

Fixpoint first_arm_chance (rate : R) (X : rewards) (r epochs : nat) : R :=
  match epochs with
  | O => 1
  | S fewer => wins rate 2 (gain X r) 0 * first_arm_chance rate X (S r) fewer
  end.

Lemma sum_map {A B} (g : A -> B) l f : sum (map g l) f = sum l (fun a => f (g a)).
Proof. induction l as [|a l IH]; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma prob_first_arm_only rate X epochs : forall r,
  prob (decisions 2 epochs) (leaders_from rate 2 X r) first_arm_only
  = first_arm_chance rate X r epochs.
Proof.
  induction epochs as [|fewer IH]; intros r; [unfold prob; simpl; ring|].
  simpl first_arm_chance. rewrite <- IH. unfold prob. simpl decisions.
  rewrite !sum_app, !sum_map. simpl. unfold first_arm_only at 2. simpl.
  rewrite (sum_ext _ (fun a => 0) (fun a => 0 * 1)) by (intros; ring).
  rewrite sum_scal, Rmult_0_l, !Rplus_0_r, <- sum_scal.
  apply sum_ext. intros later _. unfold first_arm_only. simpl. destruct (forallb _ later); ring.
Qed.

Lemma sum_constant (l : list nat) f c :
  (forall t, In t l -> f t = c) -> sum l f = INR (length l) * c.
Proof.
  intros H. induction l as [|t l IH]; [simpl; ring|].
  change (length (t :: l)) with (S (length l)). rewrite S_INR. simpl sum.
  rewrite (H t) by (now left). rewrite IH by (intros u Hu; apply H; now right). ring.
Qed.

Lemma gain_before r once i j : (i < r)%nat -> gain (late r once) i j = 0.
Proof.
  intros Hi. unfold gain. rewrite (sum_constant _ _ 0); [ring|].
  intros t Ht. apply in_seq in Ht. unfold late.
  assert (2 ^ S i <= 2 ^ r)%nat by (apply Nat.pow_le_mono_r; lia). simpl in *.
  destruct (Nat.ltb_spec t (2 ^ r)); [reflexivity|lia].
Qed.

Lemma gain_late r once j : (j < 2)%nat ->
  gain (late r once) r j
  = if j =? 0 then (if once then 1 else 0) else (if once then INR (2 ^ r) - 1 else INR (2 ^ r)).
Proof.
  intros Hj. unfold gain.
  assert (Hpos : (0 < 2 ^ r)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  destruct (2 ^ r)%nat as [|n] eqn:E; [lia|].
  rewrite <- cons_seq. simpl sum.
  rewrite (sum_constant _ _ (if j =? 1 then 1 else 0)).
  - rewrite seq_length, S_INR. unfold late. rewrite E, Nat.ltb_irrefl, Nat.eqb_refl.
    destruct j as [|[|j]]; [| |lia]; destruct once; simpl; ring.
  - intros t Ht. apply in_seq in Ht. unfold late. rewrite E.
    destruct (Nat.ltb_spec t (S n)); [lia|]. destruct (Nat.eqb_spec t (S n)); [lia|].
    now rewrite andb_false_r.
Qed.

Lemma chance_late rate r once : 0 < rate -> forall before i, (i + before = r)%nat ->
  first_arm_chance rate (late r once) i (S before)
  = (1 / 2) ^ before * wins rate 2 (gain (late r once) r) 0.
Proof.
  intros Hr. induction before as [|before IH]; intros i Hi.
  - replace i with r by lia. simpl. ring.
  - change (first_arm_chance rate (late r once) i (S (S before)))
      with (wins rate 2 (gain (late r once) i) 0
            * first_arm_chance rate (late r once) (S i) (S before)).
    rewrite IH by lia. rewrite two_arms_closed_form; rewrite ?gain_before by lia; [|assumption|lra].
    replace (- (rate * (0 - 0))) with 0 by ring. rewrite exp_0. simpl. field.
Qed.

(* claim: HU-T8 | printed | attains
   For every c < 2 and ε, RNM-FTNL with the printed noise Lap(1/ε) is not c ε-DP, already with
   two arms, if the horizon is long enough. So no noise below Lap(2/ε) makes it ε-DP. *)
Theorem HU_T8_attained :
  forall eps c, 0 < eps -> c < 2 ->
    exists r, forall epochs, epochs = S r -> ~ rnm_ftnl_private eps 2 epochs (c * eps).
Proof.
  intros eps c Heps Hc. set (a := (2 - c) * eps). assert (Ha : 0 < a) by (unfold a; nra).
  assert (Hpos : 0 < 2 / a) by (apply Rdiv_lt_0_compat; lra).
  destruct (nfloor_ex (2 / a + 3)) as [r Hr]; [lra|]. exists r. intros epochs -> H.
  assert (Hn : INR r <= INR (2 ^ r)) by (apply le_INR, Nat.lt_le_incl, Nat.pow_gt_lin_r; lia).
  assert (Hbits : forall once, bits (late r once)).
  { intros once t j. unfold late.
    destruct (t <? 2 ^ r), (once && (t =? 2 ^ r))%bool, (j =? 0), (j =? 1); auto. }
  assert (Hdiffer : one_vector_differs (late r true) (late r false)).
  { exists (2 ^ r)%nat. intros t Ht j. unfold late. simpl.
    destruct (Nat.eqb_spec t (2 ^ r)); [contradiction|reflexivity]. }
  specialize (H _ _ (Hbits true) (Hbits false) Hdiffer first_arm_only).
  unfold rnm_ftnl in H. rewrite !prob_first_arm_only in H.
  set (n := INR (2 ^ r)) in *.
  assert (Hn2 : 2 / a < n - 2) by lra.
  assert (Hna : 2 < a * (n - 2)).
  { apply Rmult_lt_compat_l with (r := a) in Hn2; [|assumption].
    replace (a * (2 / a)) with 2 in Hn2 by (field; lra). exact Hn2. }
  rewrite !chance_late in H by (assumption || lia).
  rewrite !two_arms_closed_form in H by (rewrite ?gain_late by lia; simpl; fold n; lra).
  rewrite !gain_late in H by lia. simpl in H. fold n in H.
  set (half_r := (1 / 2) ^ r) in *. assert (Hh : 0 < half_r) by (apply pow_lt; lra).
  replace (- (eps * (n - 1 - 1))) with (a + (c * eps + - (eps * (n - 0)))) in H
    by (unfold a; ring).
  rewrite (exp_plus a), (exp_plus (c * eps)) in H.
  set (E := exp (c * eps)) in *. set (F := exp (- (eps * (n - 0)))) in *.
  assert (HE : 0 < E) by apply exp_pos. assert (HF : 0 < F) by apply exp_pos.
  assert (G := exp_ineq1 a ltac:(lra)).
  assert (HEF : 0 < half_r * (E * F) / 4) by (assert (0 < E * F) by nra; nra).
  assert (Hineq : 2 + eps * (n - 0) < exp a * (2 + eps * (n - 1 - 1))).
  { assert (0 < 2 + eps * (n - 1 - 1)) by nra.
    apply Rlt_trans with ((1 + a) * (2 + eps * (n - 1 - 1))); [nra|].
    now apply Rmult_lt_compat_r. }
  apply Rmult_lt_compat_l with (r := half_r * (E * F) / 4) in Hineq; [|assumption]. lra.
Qed.
