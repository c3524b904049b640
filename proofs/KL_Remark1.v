(* KL, the remark after Corollary 1: what happens as the number of records grows. *)
From Coq Require Import Reals List Bool Arith ZArith Lia Lra Psatz.
From DPBandits Require Import Definitions Sums KL_Lemma1 KL_Theorem1_approx.
Import ListNotations.
Open Scope R_scope.

Lemma two_arms_policy beta0 eta ones zeros : (0 < ones)%nat -> (0 < zeros)%nat ->
  prob (seq 0 2) (bandit_policy 2 half beta0 eta (two_arms ones zeros)) is_arm_0
  = / (1 + exp (- ((1 - beta0 / sqrt (INR ones) + beta0 / sqrt (INR zeros)) / eta))).
Proof.
  intros H1 H2. unfold prob, bandit_policy, policy, weight, half. simpl seq. simpl sum.
  unfold is_arm_0. simpl Nat.eqb. cbv iota. rewrite !two_arms_score by lia. simpl Nat.eqb. cbv iota.
  set (u := 1 - beta0 / sqrt (INR ones)). set (v := beta0 / sqrt (INR zeros)).
  replace (- ((u + v) / eta)) with (- v / eta + - (u / eta)) by (unfold Rdiv; ring).
  rewrite exp_plus, exp_Ropp.
  assert (0 < exp (u / eta)) by apply exp_pos. assert (0 < exp (- v / eta)) by apply exp_pos.
  field. repeat split; lra.
Qed.

(* 6/5 < sqrt(2) 17/20, 12 <= sqrt(n - 2) *)
Lemma sqrt_2_large : 6 / 5 / sqrt 2 <= 17 / 20.
Proof.
  assert (H : 24 / 17 <= sqrt 2).
  { rewrite <- (sqrt_square (24 / 17)) by lra. apply sqrt_le_1; lra. }
  apply Rmult_le_reg_r with (sqrt 2); [lra|]. unfold Rdiv at 1.
  rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(* claim: KL-R1 | printed | refutes
   Paper: if β₀/η is Omega(√n) and o(n^(3/2)), both ε and δ decay to zero as n
   grows.
   Here: β₀ = 6/5 and any η ≤ 1/√n, so that β₀/η ≥ 6 √n/5, such as η = n^(-3/4); arm 0 has two
   records of reward 1, arm 1 has n - 2 of reward 0, uniform π₀, R = 1. For every ε and every
   δ < 1 no (ε, δ) holds from some n on, when one record of arm 0 is removed. *)
Theorem KL_R1_false :
  forall eps delta, delta < 1 ->
  exists n0, forall n eta, (n0 <= n)%nat -> 0 < eta <= 1 / sqrt (INR n) ->
    length (two_arms 2 (n - 2)) = n /\
    admissible 2 1 (two_arms 2 (n - 2)) (two_arms 1 (n - 2)) /\
    ~ close (seq 0 2) eps delta
        (bandit_policy 2 half (6 / 5) eta (two_arms 2 (n - 2)))
        (bandit_policy 2 half (6 / 5) eta (two_arms 1 (n - 2))).
Proof.
  intros eps delta Hd. set (L := ln ((1 + exp eps) / (1 - delta))).
  assert (He : 0 < exp eps) by apply exp_pos.
  assert (Hq : 0 < (1 + exp eps) / (1 - delta)) by (apply Rdiv_lt_0_compat; lra).
  exists (Nat.max 146 (Z.to_nat (up (100 * L * L)))). intros n eta Hn [Heta0 Heta].
  assert (H146 : (146 <= n)%nat) by lia.
  assert (Hm : 144 <= INR (n - 2)).
  { replace 144 with (INR 144) by (rewrite INR_IZR_INZ; reflexivity). apply le_INR. lia. }
  split; [unfold two_arms; rewrite app_length, !repeat_length; lia|].
  split; [apply two_arms_admissible; lia|]. intros H. specialize (H is_arm_0).
  rewrite !two_arms_policy in H by lia. change (INR 2) with 2 in H. change (INR 1) with 1 in H.
  rewrite sqrt_1 in H. set (s := sqrt (INR n)) in *. set (v := 6 / 5 / sqrt (INR (n - 2))) in *.
  assert (Hn' : 146 <= INR n).
  { replace 146 with (INR 146) by (rewrite INR_IZR_INZ; reflexivity). now apply le_INR. }
  assert (Hs : 12 <= s) by (rewrite <- (sqrt_square 12) by lra; apply sqrt_le_1; lra).
  assert (Hv : 0 <= v <= 1 / 10).
  { assert (H12 : 12 <= sqrt (INR (n - 2))) by
      (rewrite <- (sqrt_square 12) by lra; apply sqrt_le_1; lra).
    assert (0 < / sqrt (INR (n - 2))) by (apply Rinv_0_lt_compat; lra).
    assert (/ sqrt (INR (n - 2)) <= / 12) by (apply Rinv_le_contravar; lra).
    unfold v, Rdiv. lra. }
  assert (HL : L < s / 10).
  { assert (Hup : 100 * L * L < INR n).
    { apply Rlt_le_trans with (IZR (up (100 * L * L))); [apply archimed|].
      assert (0 <= 100 * L * L) by nra.
      assert (0 < up (100 * L * L))%Z by (apply lt_IZR; apply Rle_lt_trans with (100 * L * L);
        [assumption|apply archimed]).
      rewrite <- (Z2Nat.id (up (100 * L * L))) by lia. rewrite <- INR_IZR_INZ. apply le_INR. lia. }
    assert (Hss : s * s = INR n) by (apply sqrt_sqrt; lra).
    destruct (Rlt_le_dec L (s / 10)); [assumption|]. nra. }
  assert (Hexp : exp (- (s / 10)) * (1 + exp eps) < 1 - delta).
  { assert (Hmono : exp (- (s / 10)) < exp (- L)) by (apply exp_increasing; lra).
    rewrite (exp_Ropp L) in Hmono. unfold L in Hmono. rewrite exp_ln in Hmono by assumption.
    apply Rmult_lt_compat_r with (r := 1 + exp eps) in Hmono; [|lra].
    replace (/ ((1 + exp eps) / (1 - delta)) * (1 + exp eps)) with (1 - delta) in Hmono
      by (field; lra). exact Hmono. }
  assert (Ht : s <= / eta).
  { rewrite <- (Rinv_inv s). apply Rinv_le_contravar; [assumption|].
    unfold Rdiv in Heta. lra. }
  assert (H17 := sqrt_2_large). set (w := 6 / 5 / sqrt 2) in *.
  set (x := exp (- ((1 - w + v) / eta))) in *.
  set (y := exp (- ((1 - 6 / 5 / 1 + v) / eta))) in *.
  assert (Hx : 0 < x <= exp (- (s / 10))).
  { split; [apply exp_pos|]. unfold x, Rdiv at 1.
    assert (Hle : - ((1 - w + v) * / eta) <= - (s / 10)) by nra.
    destruct Hle as [Hlt| ->]; [left; now apply exp_increasing|right; reflexivity]. }
  assert (Hy : exp (s / 10) <= y).
  { unfold y. replace ((1 - 6 / 5 / 1 + v) / eta) with ((- (1 / 5) + v) * / eta) by (field; lra).
    assert (Hle : s / 10 <= - ((- (1 / 5) + v) * / eta)) by nra.
    destruct Hle as [Hlt| ->]; [left; now apply exp_increasing|right; reflexivity]. }
  assert (Hinv : exp (s / 10) * exp (- (s / 10)) = 1)
    by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  set (z := exp (- (s / 10))) in *. assert (Hz : 0 < z) by apply exp_pos.
  assert (P1 : 1 - z <= / (1 + x)).
  { apply Rmult_le_reg_r with (1 + x); [lra|]. rewrite Rinv_l by lra. nra. }
  assert (P2 : / (1 + y) <= z).
  { apply Rmult_le_reg_r with (1 + y); [assert (0 < y) by apply exp_pos; lra|].
    rewrite Rinv_l by (assert (0 < y) by apply exp_pos; lra). nra. }
  assert (exp eps * / (1 + y) <= exp eps * z) by (apply Rmult_le_compat_l; lra). lra.
Qed.
