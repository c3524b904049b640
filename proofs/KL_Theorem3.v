(* KL, Theorems 3 and 4 and Corollary 3 are false: two factors 2 are missing (feature differences
   have norm up to 2; a flip is a removal and an addition). Each counterexample is a pair of data
   sets of equal differences, d = 1, lambda = 1, actions +1 and -1, uniform pi0. *)
From Coq Require Import Reals List Bool Arith ZArith Lia Lra Psatz.
From Interval Require Import Tactic.
From DPBandits Require Import Definitions Sums KL_Lemma1 KL_Linear KL_Preferences.
Import ListNotations.
Open Scope R_scope.

Ltac hypotheses near beta0 eta B z won lost won' lost' neighbours :=
  assert (Ha : rlhf_admissible near [true; false] sign even 1 beta0 eta B
      (comparisons z won lost) (comparisons z won' lost')
      (ln (INR won / INR lost) / z) (ln (INR won' / INR lost') / z)
      (/ sqrt (1 + (INR won + INR lost) * (z * z))))
    by (apply comparisons_admissible; try lia; try lra; [apply neighbours| |]; numbers;
        interval with (i_prec 64)).

Ltac refuted most :=
  apply (rare_action most); rewrite ?plus_INR; numbers; try lra;
  try (replace (10 / 10) with 1 by field); try (replace (100 / 100) with 1 by field);
  try (rewrite ln_1; field); interval with (i_prec 64).

(* claim: KL-T3-pure | printed | refutes
   Paper: for λ_min(D) > λ label DP with ε₀ = (2 + 2 e^(2B))/(η (λ_min(D) - λ)). Here: 20 records of
   feature difference 2, 10 with label 1; η = 1/100, B = 1/5; flip one label. *)
Theorem KL_T3_pure_false :
  ~ (forall A (actions : list A) phi pi0 ridge beta0 eta B D D' theta theta' narrowest,
       rlhf_admissible label_flip actions phi pi0 ridge beta0 eta B D D' theta theta' narrowest ->
       let l := information ridge D in
       ridge < l ->
       close actions ((2 + 2 * exp (2 * B)) / (eta * (l - ridge))) 0
         (rlhf_policy actions phi pi0 ridge beta0 eta D theta)
         (rlhf_policy actions phi pi0 ridge beta0 eta D' theta')).
Proof.
  intros H. hypotheses label_flip 4 (1 / 100) (1 / 5) 2 10%nat 10%nat 11%nat 9%nat flip_one.
  apply H in Ha; cbv zeta in *; [|rewrite comparisons_information; numbers; lra].
  rewrite comparisons_information in Ha. revert Ha. refuted 10.
Qed.

(* claim: KL-T3-approx | printed | instance
   Paper: for λ₀ > λ and λ_min(D) > λ, (ε, δ) label DP with
   ε = (2 + 2 e^(2B)) √l/(η √λ₀ (l - λ)), l = λ_min(D),
   δ = |A| e^ε exp(β₀/η (min_a |φ(x, a)|_{Σ_D⁻¹} - 1/√λ₀)).
   Here: the data of KL_T3_pure_false; β₀ = 4, λ₀ = 36. Only the constant is missing. *)
Theorem KL_T3_approx_false :
  ~ (forall A (actions : list A) phi pi0 ridge beta0 eta B D D' theta theta' narrowest lambda0,
       rlhf_admissible label_flip actions phi pi0 ridge beta0 eta B D D' theta theta' narrowest ->
       ridge < lambda0 ->
       let l := information ridge D in
       ridge < l ->
       let eps := (2 + 2 * exp (2 * B)) * sqrt l / (eta * sqrt lambda0 * (l - ridge)) in
       close actions eps
         (INR (length actions) * exp eps * exp (beta0 / eta * (narrowest - 1 / sqrt lambda0)))
         (rlhf_policy actions phi pi0 ridge beta0 eta D theta)
         (rlhf_policy actions phi pi0 ridge beta0 eta D' theta')).
Proof.
  intros H. hypotheses label_flip 4 (1 / 100) (1 / 5) 2 10%nat 10%nat 11%nat 9%nat flip_one.
  apply H with (lambda0 := 36) in Ha; cbv zeta in *;
    [|lra|rewrite comparisons_information; numbers; lra].
  rewrite comparisons_information in Ha. simpl length in Ha. revert Ha. refuted 10.
Qed.

(* claim: KL-T4-pure | printed | refutes
   Paper, Appendix D, where l > λ and l > 1 (the latter is not printed, and needed for a bound
   above 0): ε₀ private (one record added or removed) with
   ε₀ = ((1 + e^(2B)) √l/(l - λ) + 2 β₀/(l - 1))/(η √l), l = λ_min(D).
   Here: 20 records of difference 2, 10 with label 1; η = 1/100, B = 1/10, β₀ = 1; remove one
   record of label 0. *)
Theorem KL_T4_pure_false :
  ~ (forall A (actions : list A) phi pi0 ridge beta0 eta B D D' theta theta' narrowest,
       rlhf_admissible add_remove actions phi pi0 ridge beta0 eta B D D' theta theta' narrowest ->
       let l := information ridge D in
       ridge < l -> 1 < l ->
       let eps := ((1 + exp (2 * B)) * sqrt l / (l - ridge) + 2 * beta0 / (l - 1))
                  / (eta * sqrt l) in
       close actions eps 0
         (rlhf_policy actions phi pi0 ridge beta0 eta D theta)
         (rlhf_policy actions phi pi0 ridge beta0 eta D' theta')).
Proof.
  intros H. hypotheses (@add_remove preference) 1 (1 / 100) (1 / 10) 2 10%nat 10%nat 10%nat 9%nat
    drop_one.
  apply H in Ha; cbv zeta in *; try (rewrite comparisons_information; numbers; lra).
  rewrite comparisons_information in Ha. revert Ha. refuted 7.
Qed.

(* claim: KL-T4-approx | printed | instance
   Paper: for λ₀ > λ, l > λ and l > 1, (ε, δ) DP with ε that ε₀ times √(l/λ₀), and
   δ = |A| e^ε exp(β₀/η (min_a |φ(x, a)|_{Σ_D⁻¹} - 1/√λ₀)).
   Here: the data of KL_T4_pure_false; β₀ = 4, λ₀ = 36. Only the constant is missing. *)
Theorem KL_T4_approx_false :
  ~ (forall A (actions : list A) phi pi0 ridge beta0 eta B D D' theta theta' narrowest lambda0,
       rlhf_admissible add_remove actions phi pi0 ridge beta0 eta B D D' theta theta' narrowest ->
       ridge < lambda0 ->
       let l := information ridge D in
       ridge < l -> 1 < l ->
       let eps := ((1 + exp (2 * B)) * sqrt l / (l - ridge) + 2 * beta0 / (l - 1))
                  / (eta * sqrt lambda0) in
       close actions eps
         (INR (length actions) * exp eps * exp (beta0 / eta * (narrowest - 1 / sqrt lambda0)))
         (rlhf_policy actions phi pi0 ridge beta0 eta D theta)
         (rlhf_policy actions phi pi0 ridge beta0 eta D' theta')).
Proof.
  intros H. hypotheses (@add_remove preference) 4 (1 / 100) (1 / 10) 2 10%nat 10%nat 10%nat 9%nat
    drop_one.
  apply H with (lambda0 := 36) in Ha; cbv zeta in *;
    [|lra|rewrite comparisons_information; numbers; lra..].
  rewrite comparisons_information in Ha. simpl length in Ha. revert Ha. refuted 7.
Qed.

Lemma comparisons_length z won lost : INR (length (comparisons z won lost)) = INR won + INR lost.
Proof. unfold comparisons. now rewrite app_length, !repeat_length, plus_INR. Qed.

(* claim: KL-C3 | printed | refutes
   Paper: if λ_min(D) ≥ λ + n/(k1 d), label DP with ε₀ = (2 + 2 e^(2B)) k1 d/(n η),
   and more (see the other reading). Here: the data of KL_T3_pure_false, k1 = 1/4; this part. *)
Theorem KL_C3_false :
  ~ (forall A (actions : list A) phi pi0 ridge beta0 eta B D D' theta theta' narrowest k1,
       rlhf_admissible label_flip actions phi pi0 ridge beta0 eta B D D' theta theta' narrowest ->
       let n := INR (length D) in
       0 < k1 -> ridge + n / (k1 * 1) <= information ridge D ->
       close actions ((2 + 2 * exp (2 * B)) * (k1 * 1 / (n * eta))) 0
         (rlhf_policy actions phi pi0 ridge beta0 eta D theta)
         (rlhf_policy actions phi pi0 ridge beta0 eta D' theta')).
Proof.
  intros H. hypotheses label_flip 4 (1 / 100) (1 / 5) 2 10%nat 10%nat 11%nat 9%nat flip_one.
  apply H with (k1 := 1 / 4) in Ha; cbv zeta in *; try rewrite comparisons_length in *;
    [|lra|rewrite comparisons_information; numbers; lra].
  revert Ha. refuted 7.
Qed.

(* claim: KL-C3 | approximate-part | instance
   Paper: if λ_min(D) ≥ λ + n/(k1 d), for every c in (0, 1) (c ε₀, δ) label DP with
   ε₀ = (2 + 2 e^(2B)) k1 d/(n η) and
   δ = |A| e^(c ε₀) exp(β₀/η √(d/n) (1 - √(c k1))).
   Here: 200 records of difference 1/2, 100 with label 1; k1 = 4, η = 1/100, B = 1/20, β₀ = 6,
   c = 1/2; flip one label. Only the constant is missing. *)
Theorem KL_C3_approx_false :
  ~ (forall A (actions : list A) phi pi0 ridge beta0 eta B D D' theta theta' narrowest k1 c,
       rlhf_admissible label_flip actions phi pi0 ridge beta0 eta B D D' theta theta' narrowest ->
       let n := INR (length D) in
       0 < k1 -> ridge + n / (k1 * 1) <= information ridge D -> 0 < c < 1 ->
       let eps := c * ((2 + 2 * exp (2 * B)) * (k1 * 1 / (n * eta))) in
       close actions eps
         (INR (length actions) * exp eps
          * exp (beta0 / eta * sqrt (1 / n) * (1 - sqrt (c * k1))))
         (rlhf_policy actions phi pi0 ridge beta0 eta D theta)
         (rlhf_policy actions phi pi0 ridge beta0 eta D' theta')).
Proof.
  intros H.
  hypotheses label_flip 6 (1 / 100) (1 / 20) (1 / 2) 100%nat 100%nat 101%nat 99%nat flip_one.
  apply H with (k1 := 4) (c := 1 / 2) in Ha; cbv zeta in *; try rewrite comparisons_length in *;
    [|lra|rewrite comparisons_information; numbers; lra|lra].
  simpl (length [true; false]) in Ha. revert Ha. refuted 5.
Qed.
