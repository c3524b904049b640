(* Finite sums and probabilities: the lemmas that the theorems share. *)
From Coq Require Import Reals List Bool Lra.
From DPBandits Require Import Definitions.
Import ListNotations.
Open Scope R_scope.

Lemma sum_ext {A} (l : list A) f g : (forall a, In a l -> f a = g a) -> sum l f = sum l g.
Proof.
  induction l as [|a l IH]; simpl; intros H; [reflexivity|].
  rewrite (H a) by (now left). now rewrite IH by (intros b Hb; apply H; now right).
Qed.

Lemma sum_le {A} (l : list A) f g : (forall a, In a l -> f a <= g a) -> sum l f <= sum l g.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lra|].
  assert (f a <= g a) by (apply H; now left).
  assert (sum l f <= sum l g) by (apply IH; intros b Hb; apply H; now right). lra.
Qed.

Lemma sum_nonneg {A} (l : list A) f : (forall a, In a l -> 0 <= f a) -> 0 <= sum l f.
Proof.
  induction l as [|a l IH]; simpl; intros H; [lra|].
  assert (0 <= f a) by (apply H; now left).
  assert (0 <= sum l f) by (apply IH; intros b Hb; apply H; now right). lra.
Qed.

Lemma sum_plus {A} (l : list A) f g : sum l (fun a => f a + g a) = sum l f + sum l g.
Proof. induction l as [|a l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_scal {A} (l : list A) c f : sum l (fun a => c * f a) = c * sum l f.
Proof. induction l as [|a l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_app {A} (l l' : list A) f : sum (l ++ l') f = sum l f + sum l' f.
Proof. induction l as [|a l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma sum_repeat {A} (x : A) n f : sum (repeat x n) f = INR n * f x.
Proof. induction n as [|n IH]; [simpl; ring|]. rewrite S_INR. simpl repeat. simpl. rewrite IH.
ring. Qed.

(* f(a) g(b) <= E f'(a) g'(b) termwise, so for the products of the sums *)
Lemma sum_product_le {A} (l : list A) f g f' g' E :
  (forall a b, In a l -> In b l -> f a * g b <= E * (f' a * g' b)) ->
  sum l f * sum l g <= E * (sum l f' * sum l g').
Proof.
  intros H.
  assert (row : forall a, In a l -> f a * sum l g <= E * (f' a * sum l g')).
  { intros a Ha. rewrite <- !sum_scal. apply sum_le. intros b Hb.
    now apply H. }
  rewrite (Rmult_comm (sum l f)), <- sum_scal.
  replace (E * (sum l f' * sum l g')) with (sum l (fun a => E * (f' a * sum l g'))).
  - apply sum_le. intros a Ha. rewrite Rmult_comm. now apply row.
  - rewrite sum_scal. f_equal. rewrite (Rmult_comm (sum l f')), <- sum_scal.
    apply sum_ext. intros a _. ring.
Qed.

Lemma prob_nonneg {A} (l : list A) p S : (forall a, In a l -> 0 <= p a) -> 0 <= prob l p S.
Proof. intros H. apply sum_nonneg. intros a Ha. destruct (S a); [auto|lra]. Qed.

Lemma prob_split {A} (l : list A) p S I :
  prob l p S = prob l p (fun a => S a && I a) + prob l p (fun a => S a && negb (I a)).
Proof.
  unfold prob. rewrite <- sum_plus. apply sum_ext. intros a _.
  destruct (S a), (I a); simpl; ring.
Qed.

Lemma prob_mono {A} (l : list A) p S S' :
  (forall a, In a l -> 0 <= p a) -> (forall a, S a = true -> S' a = true) ->
  prob l p S <= prob l p S'.
Proof.
  intros Hp H. apply sum_le. intros a Ha. specialize (H a). specialize (Hp a Ha).
  destruct (S a); [rewrite H by reflexivity; lra|destruct (S' a); lra].
Qed.

Lemma prob_complement {A} (l : list A) p S :
  sum l p = 1 -> prob l p S = 1 - prob l p (fun a => negb (S a)).
Proof.
  intros H. rewrite <- H. unfold prob.
  enough (sum l p = sum l (fun a => if S a then p a else 0)
                    + sum l (fun a => if negb (S a) then p a else 0)) by lra.
  rewrite <- sum_plus. apply sum_ext. intros a _. destruct (S a); simpl; ring.
Qed.

Lemma prob_le_scaled {A} (l : list A) p q c S :
  (forall a, In a l -> p a <= c * q a) -> prob l p S <= c * prob l q S.
Proof.
  intros H. unfold prob. rewrite <- sum_scal. apply sum_le. intros a Ha.
  destruct (S a); [auto|lra].
Qed.

Lemma Rabs_def2_le x a : Rabs x <= a -> - a <= x <= a.
Proof. intros H. assert (H1 := Rle_abs x). assert (H2 := Rle_abs (- x)). rewrite Rabs_Ropp in H2.
lra. Qed.
