(* FL, Lemma E.1: two tail bounds for Laplace vectors. *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From DPBandits Require Import Definitions Sums Laplace.
Import ListNotations.
Open Scope R_scope.

(* P is monotone and finitely subadditive: all that the lemma needs of a probability. Every outer
   measure of a probability space is so on all events, and is the probability on measurable ones. *)
Definition monotone_subadditive {Omega} (P : (Omega -> Prop) -> R) : Prop :=
  P (fun _ => False) = 0 /\
  (forall S S' : Omega -> Prop, (forall o, S o -> S' o) -> P S <= P S') /\
  (forall S S' : Omega -> Prop, P (fun o => S o \/ S' o) <= P S + P S').

(* The integral of the density of Lap(scale) over |u| > x *)
Definition laplace_tail (scale x tail : R) : Prop :=
  exists right left,
    is_RInt_gen (laplace (/ scale)) (at_point x) (Rbar_locally p_infty) right /\
    is_RInt_gen (laplace (/ scale)) (Rbar_locally m_infty) (at_point (- x)) left /\
    tail = left + right.

(* w_i has the law Lap(scale), as far as the events |w_i| > x go. *)
Definition laplace_coordinate {Omega} (P : (Omega -> Prop) -> R) (scale : R) (w : Omega -> R) :=
  forall x tail, 0 <= x -> laplace_tail scale x tail -> P (fun o => x < Rabs (w o)) = tail.

(* w_0, ..., w_(k-1) *)
Definition norm_2_squared {Omega} (k : nat) (w : nat -> Omega -> R) (o : Omega) : R :=
  sum (seq 0 k) (fun i => w i o * w i o).

Definition norm_sup {Omega} (k : nat) (w : nat -> Omega -> R) (o : Omega) : R :=
  fold_right (fun i m => Rmax (Rabs (w i o)) m) 0 (seq 0 k).

(* --- proofs ----------------------------------------------------------------------------------- *)

Lemma laplace_tail_value scale x : 0 < scale -> 0 <= x -> laplace_tail scale x (exp (- (x /
  scale))).
Proof.
  intros Hs Hx. assert (Hr : 0 < / scale) by now apply Rinv_0_lt_compat.
  exists (exp (- (x / scale)) / 2), (exp (- (x / scale)) / 2). split; [|split; [|field]].
  - replace (exp (- (x / scale)) / 2) with (0 - - (exp (- (/ scale) * x + 0) / 2)).
    2: { rewrite Rplus_0_r. replace (- / scale * x) with (- (x / scale)) by (field; lra). lra. }
    intros Q [e HQ].
    destruct (proj2 (is_lim_spec _ _ _) (is_lim_exp_right (/ scale) 0 Hr) e) as [M HM].
    apply Filter_prod with (Q := fun a => a = x) (R := fun b => Rmax M x < b).
    + reflexivity.
    + now exists (Rmax M x).
    + intros a b -> Hb. assert (Mb : M < b) by (eapply Rle_lt_trans; [apply Rmax_l|exact Hb]).
      assert (xb : x < b) by (eapply Rle_lt_trans; [apply Rmax_r|exact Hb]).
      exists (- (exp (- / scale * b + 0) / 2) - - (exp (- / scale * x + 0) / 2)). simpl. split.
      * apply right_piece; lra.
      * apply HQ. assert (H := HM b Mb). simpl in H.
        replace (- / scale * b + 0) with (- (/ scale * b) + 0) by ring.
        set (u := exp (- (/ scale * b) + 0)) in *.
        change (Rabs (- (u / 2) - - (exp (- / scale * x + 0) / 2)
                      - (0 - - (exp (- / scale * x + 0) / 2))) < e).
        replace (- (u / 2) - _ - _) with (- ((u - 0) / 2)) by field.
        rewrite Rabs_Ropp. unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ 2)) by lra.
        assert (0 <= Rabs (u - 0)) by apply Rabs_pos. lra.
  - replace (exp (- (x / scale)) / 2) with (laplace_cdf (/ scale) (- x)).
    + now apply laplace_cdf_correct.
    + rewrite cdf_left by lra. do 2 f_equal. field. lra.
Qed.

Section Lemma.
Context {Omega : Type} (P : (Omega -> Prop) -> R) (scale : R) (w : nat -> Omega -> R).
Hypotheses (HP : monotone_subadditive P) (Hs : 0 < scale)
  (Hw : forall i, laplace_coordinate P scale (w i)).

Lemma some_coordinate (l : list nat) x : 0 <= x ->
  P (fun o => exists i, In i l /\ x < Rabs (w i o)) <= INR (length l) * exp (- (x / scale)).
Proof.
  destruct HP as (Hzero & Hmono & Hadd). intros Hx. induction l as [|i l IH].
  - simpl. rewrite Rmult_0_l, <- Hzero. apply Hmono. now intros o (i & H & _).
  - replace (INR (length (i :: l)) * exp (- (x / scale)))
      with (exp (- (x / scale)) + INR (length l) * exp (- (x / scale)))
      by (simpl length; rewrite S_INR; ring).
    rewrite <- (Hw i x _ Hx (laplace_tail_value scale x Hs Hx)) at 1.
    eapply Rle_trans; [|apply Rplus_le_compat_l, IH].
    eapply Rle_trans; [|apply Hadd]. apply Hmono. intros o (j & [->|Hj] & H); [now left|].
    right. now exists j.
Qed.

Lemma large_norm_2 (l : list nat) c o : 0 <= c ->
  INR (length l) * (c * c) < sum l (fun i => w i o * w i o) ->
  exists i, In i l /\ c < Rabs (w i o).
Proof.
  intros Hc. induction l as [|i l IH]; [simpl; lra|].
  simpl sum. simpl length. rewrite S_INR. intros H.
  destruct (Rlt_le_dec c (Rabs (w i o))) as [Hi|Hi].
  - exists i. split; [now left|assumption].
  - destruct IH as (j & Hj & Hlt); [|exists j; split; [now right|assumption]].
    assert (w i o * w i o <= c * c).
    { replace (w i o * w i o) with (Rabs (w i o) * Rabs (w i o))
        by (rewrite <- Rabs_mult; apply Rabs_right, Rle_ge, Rle_0_sqr).
      assert (0 <= Rabs (w i o)) by apply Rabs_pos. nra. }
    lra.
Qed.

Lemma large_norm_sup (l : list nat) c o : 0 <= c ->
  c < fold_right (fun i m => Rmax (Rabs (w i o)) m) 0 l -> exists i, In i l /\ c < Rabs (w i o).
Proof.
  intros Hc. induction l as [|i l IH]; simpl; [lra|]. intros H.
  unfold Rmax in H. destruct (Rle_dec _ _).
  - destruct (IH H) as (j & Hj & Hlt). exists j. split; [now right|assumption].
  - exists i. split; [now left|assumption].
Qed.
End Lemma.

(* claim: FL-LE.1 | printed | holds
   Paper: for w_1, ..., w_k iid Laplace(λ) and C > 1, P(|w|₂² > k C² λ²) ≤ k e^-C
   and P(|w|_∞² > C² λ² log² k) ≤ e^(-(C-1) log k). Independence is not needed. *)
Theorem FL_LE_1 :
  forall Omega (P : (Omega -> Prop) -> R) (k : nat) (w : nat -> Omega -> R) lambda C,
    monotone_subadditive P -> (1 <= k)%nat -> 0 < lambda -> 1 < C ->
    (forall i, laplace_coordinate P lambda (w i)) ->
    P (fun o => INR k * (C * C) * (lambda * lambda) < norm_2_squared k w o) <= INR k * exp (- C) /\
    P (fun o => C * C * (lambda * lambda) * (ln (INR k) * ln (INR k)) < norm_sup k w o * norm_sup k
      w o)
      <= exp (- ((C - 1) * ln (INR k))).
Proof.
  intros Omega P k w lambda C HP Hk Hl HC Hw.
  assert (Hmono := proj1 (proj2 HP)).
  assert (Hk' : 1 <= INR k) by (apply (le_INR 1); exact Hk).
  assert (Hln : 0 <= ln (INR k)).
  { destruct Hk' as [Hlt|<-]; [|rewrite ln_1; lra].
    left. rewrite <- ln_1. apply ln_increasing; lra. }
  split.
  - eapply Rle_trans; [apply Hmono|].
    2: { assert (Hx : 0 <= C * lambda) by nra.
         assert (H := some_coordinate P lambda w HP Hl Hw (seq 0 k) (C * lambda) Hx).
         rewrite seq_length in H. replace (C * lambda / lambda) with C in H by (field; lra).
         exact H. }
    intros o Ho. apply large_norm_2; [nra|]. rewrite seq_length.
    unfold norm_2_squared in Ho. lra.
  - set (L := ln (INR k)) in *.
    eapply Rle_trans; [apply Hmono|].
    2: { assert (Hx : 0 <= C * lambda * L) by (apply Rmult_le_pos; nra).
         assert (H := some_coordinate P lambda w HP Hl Hw (seq 0 k) (C * lambda * L) Hx).
         rewrite seq_length in H. replace (C * lambda * L / lambda) with (C * L) in H by (field;
           lra).
         eapply Rle_trans; [exact H|]. right.
         replace (INR k) with (exp L) by (apply exp_ln; lra).
         rewrite <- exp_plus. f_equal. ring. }
    intros o Ho. apply large_norm_sup; [apply Rmult_le_pos; nra|].
    fold (norm_sup k w o). set (m := norm_sup k w o) in *.
    assert (0 <= m).
    { unfold m, norm_sup. generalize (seq 0 k). intros l. induction l; simpl; [lra|].
      apply Rle_trans with (1 := IHl). apply Rmax_r. }
    apply Rsqr_incrst_0; unfold Rsqr; [lra|apply Rmult_le_pos; nra|assumption].
Qed.
