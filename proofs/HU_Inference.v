(* What releases say of a mean (docs/proofs/INFERENCE.md): the mean of the evidence after one more
   release, the product of the evidence of two arms, and the divergence d_eps. *)
From Coq Require Import Reals List Arith Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From DPBandits Require Import Definitions Sums Laplace.
Import ListNotations.
Open Scope R_scope.

(* --- releases --------------------------------------------------------------------------------- *)

(* Finitely many pairs (probability, reward) *)
Definition reward_law : Type := list (R * R).

Definition average (l : reward_law) (f : R -> R) : R := sum l (fun a => fst a * f (snd a)).

(* Rewards in [0, 1] of mean mu *)
Definition fair (mu : R) (l : reward_law) : Prop :=
  (forall a, In a l -> 0 <= fst a /\ 0 <= snd a <= 1) /\
  average l (fun _ => 1) = 1 /\ average l (fun x => x) = mu.

(* The mean of f at the sum of the rewards so far and b more; the law of each may depend on those
   before it. (What came before the batch is fixed.) *)
Fixpoint batch_mean (b : nat) (next : list R -> reward_law) (past : list R) (f : R -> R) : R :=
  match b with
  | O => f (sum past (fun x => x))
  | S c => average (next past) (fun x => batch_mean c next (x :: past) f)
  end.

Definition noise_mean (eps : R) (f : R -> R) : R :=
  RInt_gen (fun z => laplace eps z * f z) (Rbar_locally m_infty) (Rbar_locally p_infty).

(* The mean of f at the next release: the sum of b rewards, plus noise Lap(1/eps) *)
Definition release_mean (eps : R) (b : nat) (next : list R -> reward_law) (f : R -> R) : R :=
  batch_mean b next [] (fun s => noise_mean eps (fun z => f (s + z))).

(* Its integrals exist, whatever the sum is. *)
Definition has_release_mean (eps : R) (f : R -> R) : Prop := forall s,
  ex_RInt_gen (fun z => laplace eps z * f (s + z)) (Rbar_locally m_infty) (Rbar_locally p_infty).

(* --- evidence --------------------------------------------------------------------------------- *)

Definition psi (p t : R) : R := ln (1 - p + p * exp t).

(* Of an arm with m releases, of N rewards, whose sum is total *)
Definition evidence (eps t p total : R) (N m : nat) : R :=
  exp (t * total - INR N * psi p t) * (1 - t ^ 2 / eps ^ 2) ^ m.

(* terms: finitely many pairs (weight, t); lam of the weight stays out, at 1. That the mean is
   above p; with N - total and 1 - p in place of total and p: that it is below. *)
Definition mixture (eps lam : R) (terms : list (R * R)) (p total : R) (N m : nat) : R :=
  lam + (1 - lam) * sum terms (fun a => fst a * evidence eps (snd a) p total N m).

Definition weights (eps lam : R) (terms : list (R * R)) : Prop :=
  0 <= lam <= 1 /\ (forall a, In a terms -> 0 <= fst a /\ 0 < snd a < eps) /\
  sum terms fst <= 1.

(* d is d_eps(r, y), the supremum of t r - psi_y(t) over |t| <= eps. *)
Definition is_d_eps (eps r y d : R) : Prop :=
  is_lub (fun v => exists t, - eps <= t <= eps /\ v = t * r - psi y t) d.

(* --- proofs ----------------------------------------------------------------------------------- *)

Lemma chord t x : 0 <= x <= 1 -> exp (t * x) <= 1 - x + x * exp t.
Proof.
  intros Hx. assert (H0 := exp_ineq1_le (- (t * x))). assert (H1 := exp_ineq1_le (t - t * x)).
  assert (P := exp_pos (t * x)).
  assert (E0 : exp (t * x) * exp (- (t * x)) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (E1 : exp (t * x) * exp (t - t * x) = exp t) by (rewrite <- exp_plus; f_equal; ring).
  assert (A : exp (t * x) * (1 + - (t * x)) <= 1).
  { rewrite <- E0. apply Rmult_le_compat_l; lra. }
  assert (B : exp (t * x) * (1 + (t - t * x)) <= exp t).
  { rewrite <- E1. apply Rmult_le_compat_l; lra. }
  assert ((1 - x) * (exp (t * x) * (1 + - (t * x))) <= (1 - x) * 1)
    by (apply Rmult_le_compat_l; lra).
  assert (x * (exp (t * x) * (1 + (t - t * x))) <= x * exp t) by (apply Rmult_le_compat_l; lra).
  assert (I : (1 - x) * (exp (t * x) * (1 + - (t * x))) + x * (exp (t * x) * (1 + (t - t * x)))
              = exp (t * x)) by ring.
  lra.
Qed.

Lemma base_positive p t : 0 <= p <= 1 -> 0 < 1 - p + p * exp t.
Proof.
  intros Hp. assert (P := exp_pos t). destruct (Req_dec p 0) as [->|Hn]; [lra|].
  assert (0 < p * exp t) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma exp_psi p t : 0 <= p <= 1 -> exp (psi p t) = 1 - p + p * exp t.
Proof. intros Hp. apply exp_ln. now apply base_positive. Qed.

Lemma exp_at_least_1 t : 0 <= t -> 1 <= exp t.
Proof. intros Ht. assert (H := exp_ineq1_le t). lra. Qed.

Lemma exp_at_most_1 t : t <= 0 -> exp t <= 1.
Proof.
  intros Ht. assert (H := exp_at_least_1 (- t) ltac:(lra)). assert (P := exp_pos t).
  assert (E : exp t * exp (- t) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). nra.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof.
  intros H. destruct (Rle_lt_or_eq_dec x y H) as [Hl| ->]; [left; now apply exp_increasing|lra].
Qed.

Lemma exp_INR x n : exp (INR n * x) = exp x ^ n.
Proof.
  induction n as [|n IH]; [simpl; rewrite Rmult_0_l; apply exp_0|].
  rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH. simpl. ring.
Qed.

Lemma average_ext l f g : (forall x, f x = g x) -> average l f = average l g.
Proof. intros H. apply sum_ext. intros a _. now rewrite H. Qed.

Lemma average_linear l A B f g :
  average l (fun x => A * f x + B * g x) = A * average l f + B * average l g.
Proof.
  unfold average. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros a _. ring.
Qed.

Lemma average_le l mu f g : fair mu l -> (forall x, 0 <= x <= 1 -> f x <= g x) ->
  average l f <= average l g.
Proof.
  intros (H & _) Hfg. apply sum_le. intros a Ha. destruct (H a Ha).
  apply Rmult_le_compat_l; [assumption|]. now apply Hfg.
Qed.

Lemma batch_ext b next : forall past f g, (forall s, f s = g s) ->
  batch_mean b next past f = batch_mean b next past g.
Proof.
  induction b as [|b IH]; intros past f g H; simpl; [apply H|].
  apply average_ext. intros x. now apply IH.
Qed.

Lemma batch_linear b next A B f g : forall past,
  batch_mean b next past (fun s => A * f s + B * g s)
  = A * batch_mean b next past f + B * batch_mean b next past g.
Proof.
  induction b as [|b IH]; intros past; simpl; [reflexivity|].
  rewrite <- average_linear. apply average_ext. intros x. apply IH.
Qed.

Lemma batch_constant mu b next : (forall past, fair mu (next past)) -> forall past,
  batch_mean b next past (fun _ => 1) = 1.
Proof.
  intros H. induction b as [|b IH]; intros past; simpl; [reflexivity|].
  rewrite (average_ext _ _ (fun _ => 1)) by (intros x; apply IH). apply H.
Qed.

Lemma batch_exp mu t b next : (forall past, fair mu (next past)) -> forall past,
  batch_mean b next past (fun s => exp (t * s))
  <= exp (t * sum past (fun x => x)) * (1 - mu + mu * exp t) ^ b.
Proof.
  intros H. induction b as [|b IH]; intros past; simpl; [lra|].
  destruct (H past) as (Hp & Hone & Hmean).
  set (e := exp (t * sum past (fun x => x))). set (c := (1 - mu + mu * exp t) ^ b).
  assert (Hmu : 0 <= mu <= 1).
  { split; [rewrite <- Hmean; apply sum_nonneg; intros a Ha; destruct (Hp a Ha);
            now apply Rmult_le_pos|].
    rewrite <- Hmean, <- Hone. apply (average_le _ mu); [exact (H past)|]. intros x Hx. lra. }
  assert (Hc : 0 <= c) by (apply pow_le; left; now apply base_positive).
  assert (He : 0 < e) by apply exp_pos.
  apply Rle_trans with (average (next past) (fun x => (e * c) * 1 + (e * c * (exp t - 1)) * x)).
  - apply (average_le _ mu); [exact (H past)|]. intros x Hx. apply Rle_trans with (1 := IH _).
    simpl. fold c. rewrite Rmult_plus_distr_l, exp_plus. fold e.
    assert (Hk := chord t x Hx).
    replace (e * c * 1 + e * c * (exp t - 1) * x) with ((1 - x + x * exp t) * (e * c)) by ring.
    replace (exp (t * x) * e * c) with (exp (t * x) * (e * c)) by ring.
    assert (exp (t * x) * (e * c) <= (1 - x + x * exp t) * (e * c)).
    { apply Rmult_le_compat_r; [|exact Hk]. apply Rmult_le_pos; lra. }
    lra.
  - rewrite average_linear, Hone, Hmean. right. ring.
Qed.

(* The transform of the noise *)
Lemma noise_exp eps t : 0 < eps -> - eps < t < eps ->
  is_RInt_gen (fun z => laplace eps z * exp (t * z)) (Rbar_locally m_infty) (Rbar_locally p_infty)
    (/ (1 - t ^ 2 / eps ^ 2)).
Proof.
  intros He Ht. assert (Hs : 0 < (eps + t) * (eps - t)) by (apply Rmult_lt_0_compat; lra).
  assert (Hd : eps ^ 2 - t ^ 2 <> 0) by nra.
  set (k := eps / 2 / (eps + t)). set (l := eps / 2 / (eps - t)).
  replace (/ (1 - t ^ 2 / eps ^ 2)) with ((- l * 0 + (k + l)) - k * 0)
    by (unfold k, l; field; repeat split; lra).
  set (L := fun a => k * exp ((eps + t) * a + 0)).
  set (V := fun b => - l * exp (- ((eps - t) * b) + 0)).
  apply improper with (L := L) (U := fun b => V b + (k + l)) (A := 0) (B := 0).
  - intros a b Ha Hb.
    replace (V b + (k + l) - L a) with ((L 0 - L a) + (V b - V 0)).
    2: { unfold L, V. rewrite !Rmult_0_r, Ropp_0, Rplus_0_r, exp_0. ring. }
    apply (is_RInt_Chasles (V := R_CompleteNormedModule)) with 0.
    + apply (piece _ L (fun x => eps / 2 * exp ((eps + t) * x + 0)));
        auto using continuous_exp_affine; try lra.
      * intros x. unfold L, k. auto_derive; [exact I|]. field. lra.
      * intros x Hx. rewrite laplace_left by lra.
        replace ((eps + t) * x + 0) with (eps * x + t * x) by ring. rewrite exp_plus. ring.
    + apply (piece _ V (fun x => eps / 2 * exp (- (eps - t) * x + 0)));
        auto using continuous_exp_affine; try lra.
      * intros x. unfold V, l. auto_derive; [exact I|].
        replace (- (eps - t) * x + 0) with (- ((eps - t) * x) + 0) by ring. field. lra.
      * intros x Hx. rewrite laplace_right by lra.
        replace (- (eps - t) * x + 0) with (- (eps * x) + t * x) by ring. rewrite exp_plus. ring.
  - apply (is_lim_scal_l (fun a => exp ((eps + t) * a + 0)) k m_infty 0).
    apply is_lim_exp_left. lra.
  - apply is_lim_plus' with (lf := - l * 0) (lg := k + l); [|apply is_lim_const].
    apply (is_lim_scal_l (fun b => exp (- ((eps - t) * b) + 0)) (- l) p_infty 0).
    apply is_lim_exp_right. lra.
Qed.

(* f has the mean v at the next release, and all integrals exist. *)
Definition mean_is eps b next f v : Prop := exists g,
  (forall s, is_RInt_gen (fun z => laplace eps z * f (s + z)) (Rbar_locally m_infty)
    (Rbar_locally p_infty) (g s)) /\ batch_mean b next [] g = v.

Lemma mean_is_mean eps b next f v : mean_is eps b next f v ->
  has_release_mean eps f /\ release_mean eps b next f = v.
Proof.
  intros (g & Hg & Hv). split; [intros s; exists (g s); apply Hg|].
  rewrite <- Hv. apply batch_ext. intros s. apply is_RInt_gen_unique. apply Hg.
Qed.

Lemma mean_linear eps b next A B f g v w :
  mean_is eps b next f v -> mean_is eps b next g w ->
  mean_is eps b next (fun R => A * f R + B * g R) (A * v + B * w).
Proof.
  intros (f' & Hf & Hv) (g' & Hg & Hw). exists (fun s => A * f' s + B * g' s). split.
  - intros s. apply (is_RInt_gen_ext (fun z =>
      plus (scal A (laplace eps z * f (s + z))) (scal B (laplace eps z * g (s + z))))).
    { apply filter_forall. intros _ z _. unfold plus, scal; simpl. unfold mult; simpl. ring. }
    apply (is_RInt_gen_plus (V := R_NormedModule)); apply (is_RInt_gen_scal (V := R_NormedModule));
      [apply Hf|apply Hg].
  - rewrite batch_linear. now rewrite Hv, Hw.
Qed.

Lemma mean_ext eps b next f g v : (forall R, f R = g R) ->
  mean_is eps b next f v -> mean_is eps b next g v.
Proof.
  intros H (f' & Hf & Hv). exists f'. split; [|exact Hv]. intros s.
  apply (is_RInt_gen_ext (fun z => laplace eps z * f (s + z))); [|apply Hf].
  apply filter_forall. intros _ z _. now rewrite H.
Qed.

Lemma mean_exp eps b next t : 0 < eps -> - eps < t < eps ->
  mean_is eps b next (fun R => exp (t * R))
    (/ (1 - t ^ 2 / eps ^ 2) * batch_mean b next [] (fun s => exp (t * s))).
Proof.
  intros He Ht. exists (fun s => / (1 - t ^ 2 / eps ^ 2) * exp (t * s) + 0 * 0). split.
  - intros s. replace (/ (1 - t ^ 2 / eps ^ 2) * exp (t * s) + 0 * 0)
      with (scal (exp (t * s)) (/ (1 - t ^ 2 / eps ^ 2))) by (unfold scal; simpl; unfold mult; simpl; ring).
    apply (is_RInt_gen_ext (fun z => scal (exp (t * s)) (laplace eps z * exp (t * z)))).
    { apply filter_forall. intros _ z _. unfold scal; simpl. unfold mult; simpl.
      replace (t * (s + z)) with (t * s + t * z) by ring. rewrite exp_plus. ring. }
    apply (is_RInt_gen_scal (V := R_NormedModule)). now apply noise_exp.
  - rewrite (batch_linear b next (/ (1 - t ^ 2 / eps ^ 2)) 0 (fun s => exp (t * s)) (fun _ => 0)).
    ring.
Qed.

Lemma mean_one eps mu b next : 0 < eps -> (forall past, fair mu (next past)) ->
  mean_is eps b next (fun _ => 1) 1.
Proof.
  intros He H. apply (mean_ext _ _ _ (fun R => exp (0 * R))).
  { intros R. rewrite Rmult_0_l. apply exp_0. }
  assert (HM := mean_exp eps b next 0 He ltac:(lra)).
  rewrite (batch_ext b next [] (fun s => exp (0 * s)) (fun _ => 1)) in HM
    by (intros s; rewrite Rmult_0_l; apply exp_0).
  rewrite (batch_constant mu) in HM by assumption.
  replace (/ (1 - 0 ^ 2 / eps ^ 2) * 1) with 1 in HM by (field; lra). exact HM.
Qed.

Lemma factor_positive eps t : 0 < eps -> - eps < t < eps -> 0 < 1 - t ^ 2 / eps ^ 2.
Proof.
  intros He Ht. assert (0 < eps ^ 2) by (apply pow_lt; lra).
  replace (1 - t ^ 2 / eps ^ 2) with ((eps + t) * (eps - t) / eps ^ 2) by (field; lra).
  apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra|assumption].
Qed.

Lemma evidence_positive eps t p total N m : 0 < eps -> - eps < t < eps ->
  0 < evidence eps t p total N m.
Proof.
  intros He Ht. apply Rmult_lt_0_compat; [apply exp_pos|].
  apply pow_lt. now apply factor_positive.
Qed.

(* psi_p(t) rises in p for t > 0 and falls for t < 0. *)
Lemma base_monotone mu p t : (0 <= t /\ mu <= p) \/ (t <= 0 /\ p <= mu) ->
  1 - mu + mu * exp t <= 1 - p + p * exp t.
Proof.
  intros [[Ht Hp]|[Ht Hp]].
  - assert (H := exp_at_least_1 t Ht). nra.
  - assert (H := exp_at_most_1 t Ht). nra.
Qed.

(* One more release of an arm of mean mu: of either sign of t *)
Lemma evidence_step eps t mu p next total N m b :
  0 < eps -> - eps < t < eps -> 0 <= mu <= 1 -> 0 <= p <= 1 ->
  (0 <= t /\ mu <= p) \/ (t <= 0 /\ p <= mu) -> (forall past, fair mu (next past)) ->
  exists v, v <= evidence eps t p total N m /\
    mean_is eps b next (fun R => evidence eps t p (total + R) (N + b) (S m)) v.
Proof.
  intros He Ht Hmu Hp Hside Hfair. set (q := 1 - t ^ 2 / eps ^ 2).
  assert (Hq : 0 < q) by now apply factor_positive.
  set (c := exp (t * total - INR N * psi p t) * exp (- (INR b * psi p t)) * q ^ S m).
  set (M := batch_mean b next [] (fun s => exp (t * s))).
  exists (c * (/ q * M) + 0 * (/ q * M)). split.
  - assert (HM := batch_exp mu t b next Hfair []). simpl in HM. fold M in HM.
    rewrite Rmult_0_r, exp_0, Rmult_1_l in HM.
    assert (Hb : (1 - mu + mu * exp t) ^ b <= exp (INR b * psi p t)).
    { rewrite exp_INR, exp_psi by assumption. apply pow_incr. split.
      - left. now apply base_positive.
      - now apply base_monotone. }
    unfold evidence. fold q.
    replace (c * (/ q * M) + 0 * (/ q * M)) with
      (exp (t * total - INR N * psi p t) * q ^ m * (exp (- (INR b * psi p t)) * M))
      by (unfold c; simpl; field; lra).
    rewrite <- (Rmult_1_r (exp _ * q ^ m)) at 2. apply Rmult_le_compat_l.
    { apply Rmult_le_pos; [left; apply exp_pos|left; now apply pow_lt]. }
    replace 1 with (exp (- (INR b * psi p t)) * exp (INR b * psi p t))
      by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    apply Rmult_le_compat_l; [left; apply exp_pos|lra].
  - apply (mean_ext _ _ _ (fun R => c * exp (t * R) + 0 * exp (t * R))).
    { intros R. unfold evidence. fold q. unfold c.
      replace (t * (total + R) - INR (N + b) * psi p t)
        with ((t * total - INR N * psi p t) + - (INR b * psi p t) + t * R)
        by (rewrite plus_INR; ring).
      rewrite !exp_plus. ring. }
    apply mean_linear; now apply mean_exp.
Qed.

(* Rewards 1 - x: the evidence that the mean is below p *)
Lemma evidence_turned eps t p total N m : 0 <= p <= 1 ->
  evidence eps t (1 - p) (INR N - total) N m = evidence eps (- t) p total N m.
Proof.
  intros Hp. unfold evidence.
  assert (E : psi (1 - p) t = t + psi p (- t)).
  { unfold psi. rewrite <- (ln_exp t) at 2. rewrite <- ln_mult;
      [|apply exp_pos|now apply base_positive].
    f_equal. assert (exp t * exp (- t) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    nra. }
  rewrite E. f_equal; [f_equal; ring|]. f_equal. f_equal. f_equal. ring.
Qed.

(* claim: OURS-I1 | printed | part
   Theorem 2 of docs/proofs/INFERENCE.md for one more release, of b rewards in [0, 1], each of mean
   μ given those before it, plus noise Lap(1/ε): for 0 < t < ε and μ ≤ p the mean of
   e^(tS - N ψ_p(t)) (1 - t²/ε²)^m after it is at most what it was; so it is, with N - S and 1 - p
   in place of S and p, if p ≤ μ. Without a release both are 1. *)
Theorem HU_evidence_never_grows : forall eps t mu p next S N m b,
  0 < t < eps -> 0 <= mu <= 1 -> 0 <= p <= 1 -> (forall past, fair mu (next past)) ->
  let above R := evidence eps t p (S + R) (N + b) (m + 1) in
  let below R := evidence eps t (1 - p) (INR (N + b) - (S + R)) (N + b) (m + 1) in
  (mu <= p ->
    has_release_mean eps above /\ release_mean eps b next above <= evidence eps t p S N m) /\
  (p <= mu ->
    has_release_mean eps below /\
    release_mean eps b next below <= evidence eps t (1 - p) (INR N - S) N m) /\
  evidence eps t p 0 0 0 = 1.
Proof.
  intros eps t mu p next S N m b Ht Hmu Hp Hfair above below. split; [|split].
  - intros Hside. destruct (evidence_step eps t mu p next S N m b) as (v & Hv & HM); auto; try lra.
    replace (Datatypes.S m) with (m + 1)%nat in HM by lia.
    destruct (mean_is_mean _ _ _ _ _ HM) as (Hex & Hmean). split; [exact Hex|].
    apply Rle_trans with v; [right; exact Hmean|exact Hv].
  - intros Hside.
    destruct (evidence_step eps (- t) mu p next S N m b) as (v & Hv & HM); auto; try lra.
    replace (Datatypes.S m) with (m + 1)%nat in HM by lia.
    apply (mean_ext _ _ _ _ below) in HM;
      [|intros R; unfold below; now rewrite evidence_turned].
    destruct (mean_is_mean _ _ _ _ _ HM) as (Hex & Hmean). split; [exact Hex|].
    rewrite evidence_turned by assumption. apply Rle_trans with v; [right; exact Hmean|exact Hv].
  - unfold evidence. simpl. rewrite Rmult_0_r, Rmult_0_l, Rminus_0_r, exp_0. ring.
Qed.

(* --- two arms --------------------------------------------------------------------------------- *)

Lemma mixture_positive eps lam terms p total N m : weights eps lam terms ->
  0 <= mixture eps lam terms p total N m.
Proof.
  intros (Hl & Ht & _). unfold mixture.
  assert (0 <= sum terms (fun a => fst a * evidence eps (snd a) p total N m)).
  { apply sum_nonneg. intros a Ha. destruct (Ht a Ha). apply Rmult_le_pos; [lra|].
    left. apply evidence_positive; lra. }
  assert (0 <= (1 - lam) * sum terms (fun a => fst a * evidence eps (snd a) p total N m))
    by (apply Rmult_le_pos; lra).
  lra.
Qed.

(* If each term does not grow on average, a mixture of them, times a constant, does not either. *)
Lemma mixture_step eps mu lam terms b next c (after : R -> R -> R) (before : R -> R) :
  0 < eps -> (forall past, fair mu (next past)) -> weights eps lam terms -> 0 <= c ->
  (forall t, 0 < t < eps -> exists v, v <= before t /\ mean_is eps b next (after t) v) ->
  exists v, v <= c * (lam + (1 - lam) * sum terms (fun a => fst a * before (snd a))) /\
    mean_is eps b next
      (fun R => c * (lam + (1 - lam) * sum terms (fun a => fst a * after (snd a) R))) v.
Proof.
  intros He Hfair (Hl & Hw & _) Hc Hstep.
  assert (Hs : exists v, v <= sum terms (fun a => fst a * before (snd a)) /\
    mean_is eps b next (fun R => sum terms (fun a => fst a * after (snd a) R)) v).
  { induction terms as [|a rest IH]; simpl.
    - exists (0 * 1 + 0 * 1). split; [lra|].
      apply (mean_ext _ _ _ (fun _ => 0 * 1 + 0 * 1)); [intros; ring|].
      apply (mean_linear _ _ _ 0 0 (fun _ => 1) (fun _ => 1)); now apply (mean_one eps mu).
    - destruct IH as (w & Hw' & HM'); [intros x Hx; apply Hw; now right|].
      destruct (Hw a (or_introl eq_refl)) as (Ha & Ht).
      destruct (Hstep (snd a) Ht) as (v & Hv & HM).
      exists (fst a * v + 1 * w). split.
      + assert (fst a * v <= fst a * before (snd a)) by now apply Rmult_le_compat_l. lra.
      + apply (mean_ext _ _ _ (fun R =>
          fst a * after (snd a) R + 1 * sum rest (fun a0 => fst a0 * after (snd a0) R)));
          [intros; ring|]. now apply mean_linear. }
  destruct Hs as (v & Hv & HM).
  exists (c * lam * 1 + c * (1 - lam) * v). split.
  2: { apply (mean_ext _ _ _ (fun R => c * lam * 1
         + c * (1 - lam) * sum terms (fun a => fst a * after (snd a) R))); [intros R; ring|].
       apply (mean_linear _ _ _ (c * lam) (c * (1 - lam)) (fun _ => 1)); [|exact HM].
       now apply (mean_one eps mu). }
  assert (c * (1 - lam) * v
    <= c * (1 - lam) * sum terms (fun a => fst a * before (snd a))).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact Hv]. }
  lra.
Qed.

(* claim: OURS-I1 | printed | part
   The step of Theorems 3 and 4 of docs/proofs/INFERENCE.md, for mixtures of finitely many terms:
   if μ_a ≤ p ≤ μ_b, then the mean after one more release, of arm a or of arm b, of (the evidence
   that a's mean is above p) times (the evidence that b's mean is below p) is at most what it was.
   Without releases it is at most 1. *)
Theorem HU_product_never_grows : forall eps lam terms mu_a mu_b p next S_a N_a m_a S_b N_b m_b b,
  0 < eps -> weights eps lam terms -> 0 <= mu_a -> mu_a <= p <= mu_b -> mu_b <= 1 ->
  let above S N m := mixture eps lam terms p S N m in
  let below S N m := mixture eps lam terms (1 - p) (INR N - S) N m in
  let now := above S_a N_a m_a * below S_b N_b m_b in
  let after_a R := above (S_a + R) (N_a + b)%nat (m_a + 1)%nat * below S_b N_b m_b in
  let after_b R := above S_a N_a m_a * below (S_b + R) (N_b + b)%nat (m_b + 1)%nat in
  ((forall past, fair mu_a (next past)) ->
    has_release_mean eps after_a /\ release_mean eps b next after_a <= now) /\
  ((forall past, fair mu_b (next past)) ->
    has_release_mean eps after_b /\ release_mean eps b next after_b <= now) /\
  above 0 0%nat 0%nat * below 0 0%nat 0%nat <= 1.
Proof.
  intros eps lam terms mu_a mu_b p next S_a N_a m_a S_b N_b m_b b He Hw Ha Hp Hb above below now
    after_a after_b.
  assert (Pa : 0 <= above S_a N_a m_a) by now apply mixture_positive.
  assert (Pb : 0 <= below S_b N_b m_b) by now apply mixture_positive.
  split; [|split].
  - intros Hfair.
    destruct (mixture_step eps mu_a lam terms b next (below S_b N_b m_b)
      (fun t R => evidence eps t p (S_a + R) (N_a + b) (m_a + 1))
      (fun t => evidence eps t p S_a N_a m_a) He Hfair Hw Pb) as (v & Hv & HM).
    { intros t Ht. rewrite Nat.add_1_r. apply (evidence_step eps t mu_a); auto; lra. }
    apply (mean_ext _ _ _ _ after_a) in HM;
      [|intros R; unfold after_a, above, mixture at 1; ring].
    destruct (mean_is_mean _ _ _ _ _ HM) as (Hex & ->). split; [exact Hex|].
    unfold now, above, mixture at 1. lra.
  - intros Hfair.
    destruct (mixture_step eps mu_b lam terms b next (above S_a N_a m_a)
      (fun t R => evidence eps t (1 - p) (INR (N_b + b) - (S_b + R)) (N_b + b) (m_b + 1))
      (fun t => evidence eps t (1 - p) (INR N_b - S_b) N_b m_b) He Hfair Hw Pa) as (v & Hv & HM).
    { intros t Ht. rewrite Nat.add_1_r, evidence_turned by lra.
      destruct (evidence_step eps (- t) mu_b p next S_b N_b m_b b) as (v & Hv & HM); auto; try lra.
      exists v. split; [exact Hv|]. apply (mean_ext _ _ _ _ _ _) with (2 := HM).
      intros R. rewrite evidence_turned by lra. reflexivity. }
    destruct (mean_is_mean _ _ _ _ _ HM) as (Hex & Hmean). split; [exact Hex|].
    apply Rle_trans with v; [right; exact Hmean|exact Hv].
  - assert (U : forall q, mixture eps lam terms q 0 0 0 <= 1).
    { intros q. destruct Hw as (Hl & Hw & Hsum). unfold mixture.
      rewrite (sum_ext _ _ fst).
      - assert ((1 - lam) * sum terms fst <= (1 - lam) * 1) by (apply Rmult_le_compat_l; lra). lra.
      - intros a _. unfold evidence. simpl. rewrite Rmult_0_r, Rmult_0_l, Rminus_0_r, exp_0. ring. }
    assert (H1 : above 0 0%nat 0%nat <= 1) by apply U.
    assert (H2 : below 0 0%nat 0%nat <= 1).
    { unfold below. simpl INR. rewrite Rminus_0_r. apply U. }
    assert (0 <= above 0 0%nat 0%nat) by now apply mixture_positive.
    assert (0 <= below 0 0%nat 0%nat) by now apply mixture_positive.
    nra.
Qed.

(* --- the divergence --------------------------------------------------------------------------- *)

Lemma ln_le_compat x y : 0 < x -> x <= y -> ln x <= ln y.
Proof.
  intros Hx H. destruct (Rle_lt_or_eq_dec x y H) as [Hl| ->]; [left; now apply ln_increasing|lra].
Qed.

Lemma psi_above y t : 0 <= y <= 1 -> t * y <= psi y t.
Proof.
  intros Hy. rewrite <- (ln_exp (t * y)). apply ln_le_compat; [apply exp_pos|now apply chord].
Qed.

Lemma psi_0 y : psi y 0 = 0.
Proof. unfold psi. rewrite exp_0. replace (1 - y + y * 1) with 1 by ring. apply ln_1. Qed.

Lemma d_eps_nonneg eps r y d : 0 < eps -> is_d_eps eps r y d -> 0 <= d.
Proof.
  intros He (Hu & _). apply Hu. exists 0. split; [lra|]. rewrite psi_0. ring.
Qed.

(* claim: OURS-T3 | printed | part
   Lemma 1 of docs/proofs/INFERENCE.md: for 0 < ε < ∞ and r, y in [0, 1], d_ε(r, y), the
   supremum of t r - ψ_y(t) over |t| ≤ ε, exists and is from 0 to ε |r - y|; it differs by at most ε |r - r'|
   between r and r'; and it does not fall as y moves away from r, on either side. *)
Theorem HU_d_eps_lipschitz_monotone : forall eps r y, 0 < eps -> 0 <= r <= 1 -> 0 <= y <= 1 ->
  exists d, is_d_eps eps r y d /\ 0 <= d <= eps * Rabs (r - y) /\
  (forall r' d', 0 <= r' <= 1 -> is_d_eps eps r' y d' -> Rabs (d - d') <= eps * Rabs (r - r')) /\
  (forall y' d', 0 <= y' <= 1 -> is_d_eps eps r y' d' -> r <= y <= y' \/ y' <= y <= r -> d <= d').
Proof.
  intros eps r y He Hr Hy.
  assert (Up : forall t, - eps <= t <= eps -> forall x, t * x <= eps * Rabs x).
  { intros t Ht x. apply Rle_trans with (Rabs (t * x)); [apply Rle_abs|].
    rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|].
    apply Rabs_le. lra. }
  assert (Most : is_upper_bound (fun v => exists t, - eps <= t <= eps /\ v = t * r - psi y t)
    (eps * Rabs (r - y))).
  { intros v (t & Ht & ->). assert (H1 := psi_above y t Hy). assert (H2 := Up t Ht (r - y)). lra. }
  destruct (completeness (fun v => exists t, - eps <= t <= eps /\ v = t * r - psi y t))
    as (d & Hd).
  - now exists (eps * Rabs (r - y)).
  - exists (0 * r - psi y 0), 0. split; [lra|reflexivity].
  - exists d. split; [exact Hd|]. split; [|split].
    + split; [now apply (d_eps_nonneg eps r y)|now apply Hd].
    + intros r' d' _ Hd'.
      assert (One : forall a b da db, is_d_eps eps a y da -> is_d_eps eps b y db ->
        da <= db + eps * Rabs (a - b)).
      { intros a b da db (_ & Ha) (Hb & _). apply Ha. intros v (t & Ht & ->).
        assert (t * b - psi y t <= db) by (apply Hb; now exists t).
        assert (H2 := Up t Ht (a - b)). lra. }
      assert (H1 := One r r' d d' Hd Hd'). assert (H2 := One r' r d' d Hd' Hd).
      rewrite (Rabs_minus_sym r' r) in H2. apply Rabs_le. lra.
    + intros y' d' Hy' Hd' Hside. assert (Hn := d_eps_nonneg eps r y' d' He Hd').
      apply Hd. intros v (t & Ht & ->).
      assert (Hv : t * r - psi y' t <= d') by (apply Hd'; now exists t).
      assert (Away : 0 <= t * (y - r) \/ psi y' t <= psi y t).
      { destruct (Rle_dec 0 (t * (y - r))) as [|Hneg]; [now left|right].
        apply ln_le_compat; [now apply base_positive|]. apply base_monotone.
        destruct Hside; [right|left]; split; nra. }
      destruct Away as [Hback|Hpsi]; [|lra].
      assert (H1 := psi_above y t Hy). lra.
Qed.
