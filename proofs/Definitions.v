(* What the theorems speak of: finite laws, neighbouring data sets, differential privacy, and the
   mechanisms of the papers. Nothing here is proved; a reader who distrusts a theorem reads this. *)
From Coq Require Import Reals List Bool Arith.
Import ListNotations.
Open Scope R_scope.

(* --- laws on finitely many outcomes ----------------------------------------------------------- *)

Fixpoint sum {A} (outcomes : list A) (f : A -> R) : R :=
  match outcomes with
  | [] => 0
  | a :: rest => f a + sum rest f
  end.

Definition prob {A} (outcomes : list A) (p : A -> R) (event : A -> bool) : R :=
  sum outcomes (fun a => if event a then p a else 0).

Definition law {A} (outcomes : list A) (p : A -> R) : Prop :=
  (forall a, In a outcomes -> 0 <= p a) /\ sum outcomes p = 1.

(* --- neighbours ------------------------------------------------------------------------------- *)

Definition removal {X} (D D' : list X) : Prop :=
  exists before x after, D = before ++ x :: after /\ D' = before ++ after.

Definition add_remove {X} (D D' : list X) : Prop := removal D D' \/ removal D' D.

Definition swap {X} (D D' : list X) : Prop :=
  exists before x y after, D = before ++ x :: after /\ D' = before ++ y :: after.

(* --- differential privacy --------------------------------------------------------------------- *)

(* P(S) <= e^eps Q(S) + delta for every event S *)
Definition close {A} (outcomes : list A) (eps delta : R) (p q : A -> R) : Prop :=
  forall event, prob outcomes p event <= exp eps * prob outcomes q event + delta.

(* KL, Definition 1: for all neighbours *)
Definition dp {X A} (near : list X -> list X -> Prop) (outcomes : list A) (eps delta : R)
    (mechanism : list X -> A -> R) : Prop :=
  forall D D', near D D' -> close outcomes eps delta (mechanism D) (mechanism D').

(* The same for one data set D and all its neighbours: KL's bounds depend on D. *)
Definition dp_at {X A} (near : list X -> list X -> Prop) (outcomes : list A) (eps delta : R)
    (mechanism : list X -> A -> R) (D : list X) : Prop :=
  forall D', near D D' ->
    close outcomes eps delta (mechanism D) (mechanism D') /\
    close outcomes eps delta (mechanism D') (mechanism D).

(* D_infinity(p || q) <= e, without dividing by zero *)
Definition max_divergence_le {A} (outcomes : list A) (p q : A -> R) (e : R) : Prop :=
  forall a, In a outcomes -> p a <= exp e * q a.

(* --- KL: the KL-regularised policy, eq. (7), pi(a) ~ pi0(a) exp(score(a)/eta) ----------------- *)

Definition weight {A} (pi0 : A -> R) (eta : R) (score : A -> R) (a : A) : R :=
  pi0 a * exp (score a / eta).

Definition policy {A} (actions : list A) (pi0 : A -> R) (eta : R) (score : A -> R) (a : A) : R :=
  weight pi0 eta score a / sum actions (weight pi0 eta score).

(* --- KL: pessimistic offline bandit, eq. (8). A record is (arm, reward). ---------------------- *)

Definition bandit_record : Type := nat * R.

Definition of_arm (a : nat) (x : bandit_record) : bool := Nat.eqb (fst x) a.

(* N(a; D) *)
Definition count (D : list bandit_record) (a : nat) : nat := length (filter (of_arm a) D).

Definition mean_reward (D : list bandit_record) (a : nat) : R :=
  sum (filter (of_arm a) D) snd / INR (count D a).

Definition pessimistic_score (beta0 : R) (D : list bandit_record) (a : nat) : R :=
  mean_reward D a - beta0 / sqrt (INR (count D a)).

Definition bandit_policy (K : nat) (pi0 : nat -> R) (beta0 eta : R) (D : list bandit_record) :
    nat -> R :=
  policy (seq 0 K) pi0 eta (pessimistic_score beta0 D).

(* rewards in [0, bound] *)
Definition rewards_within (bound : R) (D : list bandit_record) : Prop :=
  forall x, In x D -> 0 <= snd x <= bound.

Definition least_count (K : nat) (D : list bandit_record) (m : nat) : Prop :=
  (exists a, (a < K)%nat /\ count D a = m) /\ forall a, (a < K)%nat -> (m <= count D a)%nat.

Definition largest_count (K : nat) (D : list bandit_record) (m : nat) : Prop :=
  (exists a, (a < K)%nat /\ count D a = m) /\ forall a, (a < K)%nat -> (count D a <= m)%nat.

(* One arm's record is added or removed, rewards stay in [0, bound]. *)
Definition bandit_neighbours (bound : R) (D D' : list bandit_record) : Prop :=
  add_remove D D' /\ rewards_within bound D'.
