(* KL, Section 4.4: repeated sampling from the same policy. *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz.
From DPBandits Require Import Definitions Sums General.
Import ListNotations.
Open Scope R_scope.

(* T independent draws: their outcomes, and the probability of a list of outcomes *)
Fixpoint draws {A} (outcomes : list A) (T : nat) : list (list A) :=
  match T with
  | O => [[]]
  | S fewer => flat_map (fun a => map (cons a) (draws outcomes fewer)) outcomes
  end.

Fixpoint repeated {A} (p : A -> R) (drawn : list A) : R :=
  match drawn with
  | [] => 1
  | a :: rest => p a * repeated p rest
  end.

(* --- pure: T eps0 ----------------------------------------------------------------------------- *)

Lemma prob_of_one {A} (same : forall a b : A, {a = b} + {a <> b}) (l : list A) p a :
  prob l p (fun b => if same a b then true else false) = INR (count_occ same l a) * p a.
Proof.
  unfold prob. induction l as [|b l IH]; simpl; [ring|]. rewrite IH.
  destruct (same a b) as [->|Hne].
  - destruct (same b b) as [_|]; [|congruence]. rewrite S_INR. ring.
  - destruct (same b a) as [->|_]; [congruence|]. ring.
Qed.

Lemma pointwise {A} (same : forall a b : A, {a = b} + {a <> b}) (l : list A) eps p q a :
  In a l -> close l eps 0 p q -> p a <= exp eps * q a.
Proof.
  intros Ha H. specialize (H (fun b => if same a b then true else false)).
  rewrite !prob_of_one in H.
  assert (0 < INR (count_occ same l a)) by (apply lt_0_INR; now apply count_occ_In).
  apply Rmult_le_reg_l with (INR (count_occ same l a)); [assumption|].
  rewrite Rplus_0_r in H. rewrite <- Rmult_assoc, (Rmult_comm _ (exp eps)), Rmult_assoc. exact H.
Qed.

Lemma draws_members {A} (l : list A) T drawn :
  In drawn (draws l T) -> forall a, In a drawn -> In a l.
Proof.
  revert drawn. induction T as [|T IH]; simpl; intros drawn H a Ha.
  - destruct H as [<-|[]]. destruct Ha.
  - apply in_flat_map in H as (b & Hb & H). apply in_map_iff in H as (rest & <- & H).
    destruct Ha as [<-|Ha]; [assumption|]. now apply (IH rest).
Qed.

Lemma draws_length {A} (l : list A) T drawn : In drawn (draws l T) -> length drawn = T.
Proof.
  revert drawn. induction T as [|T IH]; simpl; intros drawn H.
  - now destruct H as [<-|[]].
  - apply in_flat_map in H as (b & Hb & H). apply in_map_iff in H as (rest & <- & H).
    simpl. f_equal. now apply IH.
Qed.

Lemma repeated_close {A} (l : list A) eps p q drawn :
  (forall a, In a l -> 0 <= p a) -> (forall a, In a l -> 0 <= q a) ->
  (forall a, In a l -> p a <= exp eps * q a) -> (forall a, In a drawn -> In a l) ->
  0 <= repeated p drawn <= exp (INR (length drawn) * eps) * repeated q drawn.
Proof.
  intros Hp Hq H. induction drawn as [|a rest IH]; intros Hin.
  - simpl. rewrite Rmult_0_l, exp_0. lra.
  - destruct (IH (fun b Hb => Hin b (or_intror Hb))) as [IH0 IH1].
    assert (Ha : In a l) by (apply Hin; now left).
    specialize (Hp a Ha). specialize (Hq a Ha). specialize (H a Ha).
    change (length (a :: rest)) with (S (length rest)). rewrite S_INR. simpl repeated.
    split; [now apply Rmult_le_pos|].
    replace ((INR (length rest) + 1) * eps) with (eps + INR (length rest) * eps) by ring.
    rewrite exp_plus.
    replace (exp eps * exp (INR (length rest) * eps) * (q a * repeated q rest))
      with (exp eps * q a * (exp (INR (length rest) * eps) * repeated q rest)) by ring.
    now apply Rmult_le_compat.
Qed.

(* claim: KL-S4.4-composition | printed | part
   Paper: T draws from an ε₀ private policy are T ε₀ private. *)
Theorem KL_S4_4_composition_pure :
  forall X A (same : forall a b : A, {a = b} + {a <> b}) (outcomes : list A)
      (near : list X -> list X -> Prop) (M : list X -> A -> R) eps T,
    (forall D, law outcomes (M D)) -> dp near outcomes eps 0 M ->
    dp near (draws outcomes T) (INR T * eps) 0 (fun D => repeated (M D)).
Proof.
  intros X A same outcomes near M eps T Hlaw H D D' Hnear event. rewrite Rplus_0_r.
  apply prob_le_scaled. intros drawn Hdrawn.
  assert (Hmembers := draws_members _ _ _ Hdrawn). rewrite <- (draws_length _ _ _ Hdrawn).
  apply (repeated_close outcomes); try apply Hlaw; auto.
  intros a Ha. apply (pointwise same outcomes); auto.
Qed.

(* --- approximate, with a constant k ----------------------------------------------------------- *)

Definition never_true (drawn : list bool) : bool := forallb negb drawn.

Lemma sum_map {A B} (g : A -> B) l f : sum (map g l) f = sum l (fun a => f (g a)).
Proof. induction l as [|a l IH]; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma prob_never_true p T :
  prob (draws [true; false] T) (repeated (coin p)) never_true = (1 - p) ^ T.
Proof.
  induction T as [|T IH]; [unfold prob; simpl; ring|].
  rewrite <- tech_pow_Rmult, <- IH. unfold prob. simpl draws.
  rewrite !sum_app, !sum_map. simpl. unfold never_true; simpl.
  rewrite (sum_ext _ _ (fun drawn => 0 * repeated (coin p) drawn)) by (intros; ring).
  rewrite sum_scal, Rmult_0_l, Rplus_0_l, Rplus_0_r, <- sum_scal.
  apply sum_ext. intros drawn _. destruct (forallb negb drawn); ring.
Qed.

(* claim: KL-S4.4-composition | k-constant | refutes
   Paper: T draws from an (ε, δ) private policy are, for every δ', private with (√(2
   T log(1/δ')) ε + T ε (e^ε - 1), k δ + δ'). Here k is read as a constant,
   such as that of Corollary 1: false for every k (with k = T it is the known theorem). *)
Theorem KL_S4_4_composition_false :
  forall k, 0 < k ->
  ~ (forall X A (outcomes : list A) (M : list X -> A -> R) eps delta delta' T,
       0 <= eps -> 0 <= delta -> 0 < delta' < 1 -> (forall D, law outcomes (M D)) ->
       dp add_remove outcomes eps delta M ->
       dp add_remove (draws outcomes T)
         (sqrt (2 * INR T * ln (1 / delta')) * eps + INR T * eps * (exp eps - 1))
         (k * delta + delta') (fun D => repeated (M D))).
Proof.
  intros k Hk H.
  set (p := / (4 * k + 4)).
  assert (Hp : 0 < p) by (apply Rinv_0_lt_compat; lra).
  assert (Hp4 : (4 * k + 4) * p = 1) by (apply Rinv_r; lra).
  assert (Hkp : k * p <= 1 / 4) by nra. assert (Hp1 : p <= 1 / 4) by nra.
  destruct (pow_lt_1_zero (1 - p) ltac:(rewrite Rabs_right; lra) (1 / 2) ltac:(lra)) as [T HT].
  specialize (HT T (le_n T)). rewrite Rabs_right in HT by (apply Rle_ge, pow_le; lra).
  specialize (H unit bool [true; false] (coin_unless_empty p) 0 p (1 / 4) T).
  assert (Hdp : dp add_remove (draws [true; false] T)
    (sqrt (2 * INR T * ln (1 / (1 / 4))) * 0 + INR T * 0 * (exp 0 - 1))
    (k * p + 1 / 4) (fun D => repeated (coin_unless_empty p D))).
  { apply H; try lra.
    - intros [|]; apply coin_law; lra.
    - intros D D' _ event. unfold prob, coin_unless_empty; simpl. rewrite exp_0.
      destruct D, D'; destruct (event true), (event false); unfold coin; lra. }
  specialize (Hdp [] [tt] ltac:(right; now exists [], tt, []) never_true).
  unfold coin_unless_empty in Hdp. rewrite !prob_never_true in Hdp.
  replace (_ + INR T * 0 * _) with 0 in Hdp by ring.
  rewrite exp_0, Rminus_0_r, pow1 in Hdp. lra.
Qed.
