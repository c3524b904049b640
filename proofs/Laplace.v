(* Laplace noise: density, distribution function, and the law of who wins report-noisy-max. *)
From Coq Require Import Reals List Bool Arith Lra Psatz.
From Coquelicot Require Import Coquelicot.
From DPBandits Require Import Definitions.
Import ListNotations.
Open Scope R_scope.

(* --- definitions ------------------------------------------------------------------------------ *)

(* The density of Lap(1/rate) *)
Definition laplace (rate x : R) : R := rate / 2 * exp (- (rate * Rabs x)).

(* Its distribution function, in closed form; `laplace_cdf_correct` proves that it is the integral.
   *)
Definition laplace_cdf (rate x : R) : R :=
  if Rle_dec x 0 then exp (rate * x) / 2 else 1 - exp (- (rate * x)) / 2.

Definition product (l : list nat) (f : nat -> R) : R := fold_right (fun k y => f k * y) 1 l.

Definition rivals (K j : nat) : list nat := filter (fun k => negb (Nat.eqb k j)) (seq 0 K).

(* The integrand: noise x at arm j, and every rival's noisy score below. *)
Definition wins_density (rate : R) (K : nat) (score : nat -> R) (j : nat) (x : R) : R :=
  laplace rate x * product (rivals K j) (fun k => laplace_cdf rate (x + (score j - score k))).

(* P(score j + noise_j is the largest of K), the noises independent Lap(1/rate): the integral over
   the noise of arm j. A tie has probability 0. *)
Definition wins (rate : R) (K : nat) (score : nat -> R) (j : nat) : R :=
  RInt_gen (wins_density rate K score j) (Rbar_locally m_infty) (Rbar_locally p_infty).

(* --- improper integrals from antiderivatives -------------------------------------------------- *)

Lemma improper (f L U : R -> R) (la lb A B : R) :
  (forall a b, a < A -> B < b -> is_RInt f a b (U b - L a)) ->
  is_lim L m_infty la -> is_lim U p_infty lb ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) (lb - la).
Proof.
  intros H HL HU P [e HP].
  apply is_lim_spec in HL, HU.
  assert (He : 0 < e / 2) by (destruct e; simpl; lra).
  destruct (HL (mkposreal _ He)) as [MA HA]. destruct (HU (mkposreal _ He)) as [MB HB].
  apply Filter_prod with (Q := fun a => a < Rmin A MA) (R := fun b => Rmax B MB < b).
  - now exists (Rmin A MA).
  - now exists (Rmax B MB).
  - intros a b Ha Hb. simpl.
    assert (Ca : a < A /\ a < MA) by (split; eapply Rlt_le_trans; eauto; [apply Rmin_l|apply
      Rmin_r]).
    assert (Cb : B < b /\ MB < b) by (split; eapply Rle_lt_trans; eauto; [apply Rmax_l|apply
      Rmax_r]).
    exists (U b - L a). split; [now apply H|]. apply HP.
    assert (H1 := HA a ltac:(tauto)). assert (H2 := HB b ltac:(tauto)). simpl in H1, H2.
    change (Rabs (U b - L a - (lb - la)) < e).
    replace (U b - L a - (lb - la)) with ((U b - lb) - (L a - la)) by ring.
    eapply Rle_lt_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra.
Qed.

Lemma improper_left (f L : R -> R) (c la A : R) :
  (forall a, a < A -> is_RInt f a c (- L a)) -> is_lim L m_infty la ->
  is_RInt_gen f (Rbar_locally m_infty) (at_point c) (- la).
Proof.
  intros H HL P [e HP]. apply is_lim_spec in HL. destruct (HL e) as [MA HA].
  apply Filter_prod with (Q := fun a => a < Rmin A MA) (R := fun b => b = c).
  - now exists (Rmin A MA).
  - reflexivity.
  - intros a b Ha ->. simpl.
    assert (Ca : a < A /\ a < MA) by (split; eapply Rlt_le_trans; eauto; [apply Rmin_l|apply
      Rmin_r]).
    exists (- L a). split; [now apply H|]. apply HP.
    assert (H1 := HA a ltac:(tauto)). simpl in H1.
    change (Rabs (- L a - - la) < e). rewrite <- Rabs_Ropp.
    now replace (- (- L a - - la)) with (L a - la) by ring.
Qed.

Lemma is_lim_exp_left r c : 0 < r -> is_lim (fun x => exp (r * x + c)) m_infty 0.
Proof.
  intros Hr. apply is_lim_spec. intros e.
  destruct (proj2 (is_lim_spec _ _ _) is_lim_exp_m e) as [M HM].
  exists ((M - c) / r). intros x Hx. apply HM.
  apply Rmult_lt_compat_r with (r := r) in Hx; [|assumption].
  replace ((M - c) / r * r) with (M - c) in Hx by (field; lra). lra.
Qed.

Lemma is_lim_exp_right r c : 0 < r -> is_lim (fun x => exp (- (r * x) + c)) p_infty 0.
Proof.
  intros Hr. apply is_lim_spec. intros e.
  destruct (proj2 (is_lim_spec _ _ _) is_lim_exp_m e) as [M HM].
  exists ((c - M) / r). intros x Hx. apply HM.
  apply Rmult_lt_compat_r with (r := r) in Hx; [|assumption].
  replace ((c - M) / r * r) with (c - M) in Hx by (field; lra). lra.
Qed.

(* A piece of an integral: f has the antiderivative F strictly between a and b. *)
Lemma piece (f F dF : R -> R) (a b : R) :
  a <= b -> (forall x, is_derive F x (dF x)) -> (forall x, continuous dF x) ->
  (forall x, a < x < b -> f x = dF x) -> is_RInt f a b (F b - F a).
Proof.
  intros Hab Hd Hc He. apply is_RInt_ext with dF.
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by assumption. symmetry. now apply He.
  - apply (is_RInt_derive (V := R_CompleteNormedModule) F dF); intros x _; auto.
Qed.

Lemma continuous_exp_affine k r c x : continuous (fun y => k * exp (r * y + c)) x.
Proof.
  apply (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule)). auto_derive. exact I.
Qed.

Lemma laplace_left rate x : x <= 0 -> laplace rate x = rate / 2 * exp (rate * x).
Proof. intros H. unfold laplace. rewrite Rabs_left1 by assumption. do 2 f_equal. ring. Qed.

Lemma laplace_right rate x : 0 <= x -> laplace rate x = rate / 2 * exp (- (rate * x)).
Proof. intros H. unfold laplace. now rewrite Rabs_right by now apply Rle_ge. Qed.

Lemma cdf_left rate x : x <= 0 -> laplace_cdf rate x = exp (rate * x) / 2.
Proof. intros H. unfold laplace_cdf. destruct (Rle_dec x 0); [reflexivity|lra]. Qed.

Lemma cdf_right rate x : 0 <= x -> laplace_cdf rate x = 1 - exp (- (rate * x)) / 2.
Proof.
  intros H. unfold laplace_cdf. destruct (Rle_dec x 0); [|reflexivity].
  replace x with 0 by lra. rewrite Rmult_0_r, Ropp_0, exp_0. lra.
Qed.

Lemma left_piece rate a b : 0 < rate -> a <= b -> b <= 0 ->
  is_RInt (laplace rate) a b (exp (rate * b + 0) / 2 - exp (rate * a + 0) / 2).
Proof.
  intros Hr Hab Hb.
  apply (piece _ (fun x => exp (rate * x + 0) / 2) (fun x => rate / 2 * exp (rate * x + 0)));
    auto using continuous_exp_affine.
  - intros x. auto_derive; [exact I|]. field.
  - intros x Hx. rewrite laplace_left by lra. now rewrite Rplus_0_r.
Qed.

Lemma right_piece rate a b : 0 < rate -> a <= b -> 0 <= a ->
  is_RInt (laplace rate) a b (- (exp (- rate * b + 0) / 2) - - (exp (- rate * a + 0) / 2)).
Proof.
  intros Hr Hab Ha.
  apply (piece _ (fun x => - (exp (- rate * x + 0) / 2)) (fun x => rate / 2 * exp (- rate * x +
    0)));
    auto using continuous_exp_affine.
  - intros x. auto_derive; [exact I|]. field.
  - intros x Hx. rewrite laplace_right by lra. do 2 f_equal. ring.
Qed.

(* The distribution function is the integral of the density. *)
Lemma laplace_cdf_correct rate x : 0 < rate ->
  is_RInt_gen (laplace rate) (Rbar_locally m_infty) (at_point x) (laplace_cdf rate x).
Proof.
  intros Hr.
  replace (laplace_cdf rate x) with (- (1 / 2 * 0 - laplace_cdf rate x)) by ring.
  apply improper_left with (L := fun a => 1 / 2 * exp (rate * a + 0) - laplace_cdf rate x)
    (A := Rmin x 0).
  - intros a Ha. assert (H1 := Rmin_l x 0). assert (H2 := Rmin_r x 0).
    destruct (Rle_dec x 0) as [Hx|Hx].
    + rewrite cdf_left by assumption.
      replace (- _) with (exp (rate * x + 0) / 2 - exp (rate * a + 0) / 2)
        by (rewrite !Rplus_0_r; lra).
      apply left_piece; lra.
    + rewrite cdf_right by lra.
      replace (- _) with ((exp (rate * 0 + 0) / 2 - exp (rate * a + 0) / 2)
                          + (- (exp (- rate * x + 0) / 2) - - (exp (- rate * 0 + 0) / 2))).
      * apply (is_RInt_Chasles (V := R_CompleteNormedModule)) with 0;
          [apply left_piece|apply right_piece]; lra.
      * rewrite !Rplus_0_r, !Rmult_0_r, exp_0. replace (- rate * x) with (- (rate * x)) by ring.
      lra.
  - apply is_lim_minus' with (lf := 1 / 2 * 0) (lg := laplace_cdf rate x).
    + apply (is_lim_scal_l (fun a => exp (rate * a + 0)) (1 / 2) m_infty 0).
      now apply is_lim_exp_left.
    + apply is_lim_const.
Qed.
