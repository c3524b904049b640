(* KL, Theorems 3 and 4 where all features at one context are within distance 1: the corrected bounds
   (docs/proofs/KL.md) are below the printed ones. *)
From Coq Require Import Reals Lra Psatz.
Open Scope R_scope.

(* claim: KL-T3-pure | differences-at-most-1 | part
   The last step of its proof: for B ≥ 0 and l > λ, the corrected (2 + e^B + e^-B)/(η (l - λ)) is at
   most the printed (2 + 2 e^(2B))/(η (l - λ)). *)
Theorem KL_T3_unit_below_printed : forall B eta gap, 0 <= B -> 0 < eta -> 0 < gap ->
  (2 + exp B + exp (- B)) / (eta * gap) <= (2 + 2 * exp (2 * B)) / (eta * gap).
Proof.
  intros B eta gap HB Heta Hgap.
  assert (0 < eta * gap) by now apply Rmult_lt_0_compat.
  assert (H1 : 1 <= exp B) by (rewrite <- exp_0; destruct HB as [HB | <-];
    [left; now apply exp_increasing | right; reflexivity]).
  assert (H2 : exp (2 * B) = exp B * exp B) by (rewrite <- exp_plus; f_equal; ring).
  assert (H3 : exp (- B) <= 1) by (rewrite exp_Ropp; rewrite <- Rinv_1;
    apply Rinv_le_contravar; lra).
  unfold Rdiv. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | nra].
Qed.

(* claim: KL-T4-pure | differences-at-most-1 | part
   The last step of its proof: for B, β₀ ≥ 0, l > 1 and l > λ, the corrected
   ((1 + e^B)/(l - λ) + β₀ (1/√(l - 1) - 1/√l))/η is at most the printed
   ((1 + e^(2B)) √l/(l - λ) + 2 β₀/(l - 1))/(η √l). *)
Theorem KL_T4_unit_below_printed : forall B beta0 eta l lambda,
  0 <= B -> 0 <= beta0 -> 0 < eta -> 1 < l -> lambda < l ->
  ((1 + exp B) / (l - lambda) + beta0 * (1 / sqrt (l - 1) - 1 / sqrt l)) / eta
  <= ((1 + exp (2 * B)) * sqrt l / (l - lambda) + 2 * beta0 / (l - 1)) / (eta * sqrt l).
Proof.
  intros B beta0 eta l lambda HB Hb Heta Hl Hgap.
  assert (H1 : 1 <= exp B) by (rewrite <- exp_0; destruct HB as [HB | <-];
    [left; now apply exp_increasing | right; reflexivity]).
  assert (H2 : exp (2 * B) = exp B * exp B) by (rewrite <- exp_plus; f_equal; ring).
  set (s := sqrt l). set (t := sqrt (l - 1)).
  assert (Hs : 0 < s) by (apply sqrt_lt_R0; lra).
  assert (Ht : 0 < t) by (apply sqrt_lt_R0; lra).
  assert (Hss : s * s = l) by (apply sqrt_sqrt; lra).
  assert (Htt : t * t = l - 1) by (apply sqrt_sqrt; lra).
  replace (((1 + exp (2 * B)) * s / (l - lambda) + 2 * beta0 / (l - 1)) / (eta * s)) with
    (((1 + exp (2 * B)) / (l - lambda) + beta0 * (2 / (s * (t * t)))) / eta)
    by (rewrite Htt; field; repeat split; lra).
  unfold Rdiv at 1 4. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  apply Rplus_le_compat.
  - unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | nra].
  - apply Rmult_le_compat_l; [assumption|].
    assert (Hid : 2 / (s * (t * t)) - (1 / t - 1 / s) = (2 * s + t) / (s * (t * t) * (s + t))).
    { assert (Hone : s * s - t * t = 1) by lra.
      replace (2 / (s * (t * t)) - (1 / t - 1 / s)) with
        ((2 * (s + t) - t * (s * s - t * t)) / (s * (t * t) * (s + t))) by (field; lra).
      rewrite Hone. f_equal. ring. }
    assert (0 <= (2 * s + t) / (s * (t * t) * (s + t))).
    { apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat.
      repeat apply Rmult_lt_0_compat; lra. }
    lra.
Qed.
