(* FL, Lemmas D.1 and D.2: two inequalities for Peeling (Algorithm 3), deterministic in the noise.
   *)
From Coq Require Import Reals List Bool Arith Lia Lra Psatz.
From DPBandits Require Import Definitions Sums.
Import ListNotations.
Open Scope R_scope.

(* --- definitions; vectors of R^d are functions of 0, ..., d - 1 ------------------------------- *)

Definition squared_norm (d : nat) (v : nat -> R) : R := sum (seq 0 d) (fun j => v j * v j).

Definition sup_norm (d : nat) (v : nat -> R) : R :=
  fold_right (fun j m => Rmax (Rabs (v j)) m) 0 (seq 0 d).

(* |v|_0 *)
Definition nonzeros (d : nat) (v : nat -> R) : nat :=
  length (filter (fun j => if Req_EM_T (v j) 0 then false else true) (seq 0 d)).

(* v_S *)
Definition restrict (chosen : list nat) (v : nat -> R) (j : nat) : R :=
  if in_dec Nat.eq_dec j chosen then v j else 0.

(* Round i chooses, among the coordinates not yet chosen, one with the largest |v_j| + w_ij. *)
Definition peeling (d : nat) (v : nat -> R) (w : nat -> nat -> R) (chosen : list nat) : Prop :=
  forall i, (i < length chosen)%nat ->
    let j := nth i chosen O in
    (j < d)%nat /\ ~ In j (firstn i chosen) /\
    forall k, (k < d)%nat -> ~ In k (firstn i chosen) -> Rabs (v k) + w i k <= Rabs (v j) + w i j.

(* sum over the rounds of |w_i|_inf^2 *)
Definition noise (d s : nat) (w : nat -> nat -> R) : R :=
  sum (seq 0 s) (fun i => sup_norm d (w i) * sup_norm d (w i)).

(* --- the counterexamples: no noise ------------------------------------------------------------ *)

Definition no_noise (_ _ : nat) : R := 0.

Definition two_ones (j : nat) : R := match j with 0%nat | 1%nat => 1 | _ => 0 end.

Definition one (j : nat) : R := match j with 0%nat => 1 | _ => 0 end.

Lemma no_noise_sum d s : noise d s no_noise = 0.
Proof.
  assert (Hsup : forall i, sup_norm d (no_noise i) = 0).
  { intros i. unfold sup_norm, no_noise. rewrite Rabs_R0.
  induction (seq 0 d); simpl; [reflexivity|].
    rewrite IHl. apply Rmax_left. lra. }
  unfold noise. rewrite (sum_ext _ _ (fun _ => 0 * 0)) by (intros; now rewrite Hsup).
  rewrite sum_scal. ring.
Qed.

Lemma peel_in_order s : (s <= 3)%nat -> peeling 3 two_ones no_noise (seq 0 s).
Proof.
  intros Hs i Hi. rewrite seq_length in Hi. cbv zeta. rewrite seq_nth by assumption. simpl plus.
  assert (Hfirst : forall k, In k (firstn i (seq 0 s)) <-> (k < i)%nat).
  { intros k. replace s with (i + (s - i))%nat by lia. rewrite seq_app, firstn_app, seq_length.
    replace (i - i)%nat with 0%nat by lia. rewrite firstn_O, app_nil_r, firstn_all2
      by (rewrite seq_length; lia). rewrite in_seq. lia. }
  repeat split; [lia|rewrite Hfirst; lia|].
  intros k Hk Hnot. rewrite Hfirst in Hnot. unfold no_noise. apply Rplus_le_compat_r.
  destruct i as [|[|[|i]]]; destruct k as [|[|[|k]]]; try lia; simpl;
    rewrite ?Rabs_R0, ?Rabs_R1; lra.
Qed.

(* claim: FL-LD.1 | printed | refutes
   Paper: for every I containing supp(v), |v̂|₀ ≤ ŝ ≤ s and c > 0, |P̃_s(v, W) - v|₂² ≤ (1
   + 1/c) (|I| - s)/(|I| - ŝ) |v̂ - v|₂² + 4 (1 + c) sum_i |w_i|_∞². Here: v = (1, 1, 0), I
   = {1, 2}, v̂ = (1, 0, 0), ŝ = 1, s = 3, c = 1 and no noise: the factor is negative. *)
Theorem FL_LD_1_false :
  ~ (forall d s s' c (v v' : nat -> R) (I chosen : list nat) w,
       0 < c -> NoDup I -> (forall j, In j I -> (j < d)%nat) ->
       (forall j, (j < d)%nat -> v j <> 0 -> In j I) ->
       (nonzeros d v' <= s')%nat -> (s' <= s)%nat -> (s <= d)%nat ->
       length chosen = s -> peeling d v w chosen ->
       squared_norm d (fun j => restrict chosen v j - v j)
       <= (1 + 1 / c) * ((INR (length I) - INR s) / (INR (length I) - INR s'))
          * squared_norm d (fun j => v' j - v j) + 4 * (1 + c) * noise d s w).
Proof.
  intros H. specialize (H 3%nat 3%nat 1%nat 1 two_ones one [0; 1]%nat (seq 0 3) no_noise).
  assert (Hbound : squared_norm 3 (fun j => restrict (seq 0 3) two_ones j - two_ones j)
    <= (1 + 1 / 1) * ((INR 2 - INR 3) / (INR 2 - INR 1)) * squared_norm 3 (fun j => one j -
      two_ones j)
       + 4 * (1 + 1) * noise 3 3 no_noise).
  { apply H; try lia; try lra.
    - repeat constructor; simpl; intuition lia.
    - simpl. intuition lia.
    - intros [|[|[|j]]] Hj Hv; simpl in *; try tauto; lia.
    - unfold nonzeros. simpl.
      repeat (destruct Req_EM_T; simpl; try lra; try lia).
    - reflexivity.
    - now apply peel_in_order. }
  rewrite no_noise_sum in Hbound. unfold squared_norm, restrict in Hbound. simpl in Hbound. lra.
Qed.

(* claim: FL-LD.2 | printed | refutes
   Paper: for |θ*|₀ ≤ s*, supp θ* in supp θ, |θ|₀ ≤ s + s*
   and c, c1, c2 > 0, |P_s(θ, W, w̃) - θ*|₂² ≤ a |θ - θ*|₂² + b with
   a = (1 + 1/c1) ((1 + 1/c2) (1 + 1/c) s*/s + (1 + c2)) and b = (1 + c1) |w̃_S|₂² + 4 (1 +
   1/c1) (1 + 1/c2) (1 + c) sum_i |w_i|_∞². Here: θ = θ* = (1, 1, 0), s = 1, c =
   c1 = c2 = 1 and no noise, s < s* here: a coordinate of θ* is lost. *)
Theorem FL_LD_2_false :
  ~ (forall d s s_star c c1 c2 (theta theta_star fresh : nat -> R) (chosen : list nat) w,
       0 < c -> 0 < c1 -> 0 < c2 -> (0 < s)%nat -> (nonzeros d theta_star <= s_star)%nat ->
       (forall j, (j < d)%nat -> theta_star j <> 0 -> theta j <> 0) ->
       (nonzeros d theta <= s + s_star)%nat -> length chosen = s -> peeling d theta w chosen ->
       squared_norm d (fun j => restrict chosen theta j + restrict chosen fresh j - theta_star j)
       <= (1 + 1 / c1) * ((1 + 1 / c2) * (1 + 1 / c) * (INR s_star / INR s) + (1 + c2))
          * squared_norm d (fun j => theta j - theta_star j)
          + ((1 + c1) * squared_norm d (restrict chosen fresh)
             + 4 * (1 + 1 / c1) * (1 + 1 / c2) * (1 + c) * noise d s w)).
Proof.
  intros H.
  specialize (H 3%nat 1%nat 2%nat 1 1 1 two_ones two_ones (fun _ => 0) (seq 0 1) no_noise).
  assert (Hcount : (nonzeros 3 two_ones <= 2)%nat).
  { unfold nonzeros. simpl. repeat (destruct Req_EM_T; simpl; try lra; try lia). }
  specialize (H ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lia) Hcount ltac:(auto) ltac:(lia)
    ltac:(reflexivity) (peel_in_order 1 ltac:(lia))).
  rewrite no_noise_sum in H. unfold squared_norm, restrict in H. simpl in H. lra.
Qed.
