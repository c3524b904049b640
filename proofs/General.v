(* KL, Section 3.3 and 4.4: statements about all mechanisms. *)
From Coq Require Import Reals List Bool Lra Psatz.
From DPBandits Require Import Definitions Sums.
Import ListNotations.
Open Scope R_scope.

(* claim: KL-P1a | printed | holds
   Paper: an (ε, δ) add-remove DP mechanism is (2 ε, (1 + e^ε) δ) swap DP.
   Through the data set without the record. *)
Theorem KL_P1a :
  forall X A (outcomes : list A) (M : list X -> A -> R) eps delta,
    dp add_remove outcomes eps delta M ->
    dp swap outcomes (2 * eps) ((1 + exp eps) * delta) M.
Proof.
  intros X A outcomes M eps delta H D D' (before & x & y & after & -> & ->) event.
  assert (H1 := H (before ++ x :: after) (before ++ after)).
  assert (H2 := H (before ++ after) (before ++ y :: after)).
  specialize (H1 ltac:(left; now exists before, x, after) event).
  specialize (H2 ltac:(right; now exists before, y, after) event).
  replace (2 * eps) with (eps + eps) by ring. rewrite exp_plus.
  assert (0 < exp eps) by apply exp_pos. nra.
Qed.

Definition says_whether_empty {X} (D : list X) (answer : bool) : R :=
  if Bool.eqb answer (match D with [] => true | _ => false end) then 1 else 0.

(* claim: KL-P1b | printed | refutes
   Paper: an (ε, δ) swap DP mechanism is (ε, e^ε δ) add-remove DP.
   Here: some mechanism is (0, 0) swap DP, and add-remove DP for no ε and no δ < 1. *)
Theorem KL_P1b_false :
  ~ (forall X A (outcomes : list A) (M : list X -> A -> R) eps delta,
       0 <= eps -> 0 <= delta -> (forall D, law outcomes (M D)) ->
       dp swap outcomes eps delta M -> dp add_remove outcomes eps (exp eps * delta) M).
Proof.
  intros H.
  specialize (H unit bool [true; false] says_whether_empty 0 0).
  assert (H' : dp add_remove [true; false] 0 (exp 0 * 0) (@says_whether_empty unit)).
  { apply H; try lra.
    - intros D. split; [intros a _|]; destruct D; simpl; unfold says_whether_empty; try destruct a;
        simpl; lra.
    - intros D D' (before & x & y & after & -> & ->) event.
      assert (same : forall b, says_whether_empty (before ++ x :: after) b
                               = says_whether_empty (before ++ y :: after) b).
      { intros b. unfold says_whether_empty. now destruct before. }
      unfold prob; simpl. rewrite !same, exp_0. lra. }
  specialize (H' [] [tt] ltac:(right; now exists [], tt, []) (fun b => b)).
  unfold prob, says_whether_empty in H'; simpl in H'. lra.
Qed.

(* claim: KL-P1b | printed | refutes
   For every ε and every δ < 1 of the conclusion: no conversion can exist. *)
Theorem KL_P1b_no_conversion :
  exists (X A : Type) (outcomes : list A) (M : list X -> A -> R),
    (forall D, law outcomes (M D)) /\ dp swap outcomes 0 0 M /\
    forall eps delta, delta < 1 -> ~ dp add_remove outcomes eps delta M.
Proof.
  exists unit, bool, [true; false], says_whether_empty. split; [|split].
  - intros D. split; [intros a _|]; destruct D; simpl; unfold says_whether_empty; try destruct a;
      simpl; lra.
  - intros D D' (before & x & y & after & -> & ->) event.
    assert (same : forall b, says_whether_empty (before ++ x :: after) b
                             = says_whether_empty (before ++ y :: after) b).
    { intros b. unfold says_whether_empty. now destruct before. }
    unfold prob; simpl. rewrite !same, exp_0. lra.
  - intros eps delta Hd H'.
    specialize (H' [] [tt] ltac:(right; now exists [], tt, []) (fun b => b)).
    unfold prob, says_whether_empty in H'; simpl in H'. lra.
Qed.

(* --- inexact policies, Section 4.4 ------------------------------------------------------------ *)

Definition inexact_delta (e delta : R) : R :=
  Rmin (exp e * delta) (1 - exp (- e) * (1 - delta)).

(* claim: KL-S4.4-inexact | printed | repairs
   A policy within e of an (ε, δ) DP one in both max divergences is (ε + 2 e, δ') DP,
   δ' = min(e^e δ, 1 - e^-e (1 - δ)). *)
Theorem KL_S4_4_inexact_repaired :
  forall X A (outcomes : list A) (near : list X -> list X -> Prop) (exact rough : list X -> A -> R)
    eps delta e,
    0 <= e -> (forall D, law outcomes (exact D)) -> (forall D, law outcomes (rough D)) ->
    (forall D, max_divergence_le outcomes (exact D) (rough D) e) ->
    (forall D, max_divergence_le outcomes (rough D) (exact D) e) ->
    dp near outcomes eps delta exact ->
    dp near outcomes (eps + 2 * e) (inexact_delta e delta) rough.
Proof.
  intros X A outcomes near exact rough eps delta e He Hexact Hrough Hto Hfrom H D D' Hnear S.
  assert (He1 : 0 < exp e) by apply exp_pos.
  assert (Heps : 0 < exp eps) by apply exp_pos.
  assert (Hinv : exp e * exp (- e) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (He2 : 0 < exp (- e)) by apply exp_pos.
  assert (He3 : 1 <= exp e) by (assert (H1 := exp_ineq1_le e); lra).
  assert (Hstep := H D D' Hnear S).
  assert (Hback := prob_le_scaled outcomes _ _ _ S (Hto D')).
  assert (Hq : 0 <= prob outcomes (rough D') S) by (apply prob_nonneg; apply Hrough).
  replace (eps + 2 * e) with (e + (eps + e)) by ring. rewrite !exp_plus.
  unfold inexact_delta. apply Rmin_case.
  - assert (Hthere := prob_le_scaled outcomes _ _ _ S (Hfrom D)).
    set (q := prob outcomes (exact D') S) in *. set (w := prob outcomes (rough D') S) in *.
    set (u := prob outcomes (exact D) S) in *. set (v := prob outcomes (rough D) S) in *.
    assert (exp e * u <= exp e * (exp eps * q + delta)) by (apply Rmult_le_compat_l; lra).
    assert (exp e * (exp eps * q) <= exp e * (exp eps * (exp e * w))).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra. }
    lra.
  - assert (Hthere := prob_le_scaled outcomes _ _ _ (fun a => negb (S a)) (Hto D)).
    rewrite (prob_complement outcomes (rough D)) by apply Hrough.
    rewrite (prob_complement outcomes (exact D)) in Hstep by apply Hexact.
    set (u := prob outcomes (exact D) _) in *. set (v := prob outcomes (rough D) _) in *.
    set (q := prob outcomes (exact D') S) in *. set (w := prob outcomes (rough D') S) in *.
    assert (exp (- e) * u <= v).
    { apply Rmult_le_reg_l with (exp e); [lra|]. rewrite <- Rmult_assoc, Hinv. lra. }
    assert (exp (- e) * (1 - u) <= exp (- e) * (exp eps * (exp e * w) + delta)).
    { apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (1 := Hstep).
      apply Rplus_le_compat_r. apply Rmult_le_compat_l; lra. }
    assert (exp (- e) * (exp eps * (exp e * w) + delta)
            = exp e * exp (- e) * (exp eps * w) + exp (- e) * delta) as E by ring.
    rewrite E, Hinv in *.
    assert (exp eps * w <= exp e * (exp eps * exp e) * w).
    { replace (exp e * (exp eps * exp e) * w) with ((exp e * exp e) * (exp eps * w)) by ring.
      assert (1 <= exp e * exp e) by nra. assert (0 <= exp eps * w) by nra. nra. }
    lra.
Qed.

(* Two answers, "true" with probability p. *)
Definition coin (p : R) (answer : bool) : R := if answer then p else 1 - p.

(* The empty data set never answers true, all others do with probability p. *)
Definition coin_unless_empty (p : R) (D : list unit) : bool -> R :=
  coin (match D with [] => 0 | _ => p end).

Lemma coin_law p : 0 <= p <= 1 -> law [true; false] (coin p).
Proof. intros H. split; [intros a _; destruct a|]; simpl; lra. Qed.

Lemma inexact_delta_range e delta : 0 <= e -> 0 <= delta <= 1 ->
  delta <= inexact_delta e delta <= 1 /\ inexact_delta e delta <= exp e * delta /\
  exp (- e) * (1 - delta) <= 1 - inexact_delta e delta.
Proof.
  intros He Hd.
  assert (H1 := exp_ineq1_le e). assert (H2 : 0 < exp (- e)) by apply exp_pos.
  assert (Hinv : exp e * exp (- e) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (exp (- e) <= 1) by nra.
  assert (exp (- e) * (1 - delta) <= 1 - delta) by nra.
  assert (Hl := Rmin_l (exp e * delta) (1 - exp (- e) * (1 - delta))).
  assert (Hr := Rmin_r (exp e * delta) (1 - exp (- e) * (1 - delta))).
  fold (inexact_delta e delta) in Hl, Hr.
  assert (delta <= inexact_delta e delta) by (apply Rmin_glb; nra).
  assert (0 <= exp (- e) * (1 - delta)) by nra.
  repeat split; lra.
Qed.

(* claim: KL-S4.4-inexact | printed | attains
   The repaired δ is the least possible: for all ε, e ≥ 0 and δ in [0, 1] some mechanism
   meets every hypothesis, and its inexact version is (ε', δ') DP for no smaller δ',
   whatever ε' is. *)
Theorem KL_S4_4_inexact_attained :
  forall eps e delta, 0 <= eps -> 0 <= e -> 0 <= delta <= 1 ->
  exists exact rough : list unit -> bool -> R,
    (forall D, law [true; false] (exact D)) /\ (forall D, law [true; false] (rough D)) /\
    (forall D, max_divergence_le [true; false] (exact D) (rough D) e) /\
    (forall D, max_divergence_le [true; false] (rough D) (exact D) e) /\
    dp add_remove [true; false] eps delta exact /\
    forall eps' delta', dp add_remove [true; false] eps' delta' rough ->
      inexact_delta e delta <= delta'.
Proof.
  intros eps e delta Heps He Hd.
  destruct (inexact_delta_range e delta He Hd) as ((H1 & H2) & H3 & H4).
  set (t := inexact_delta e delta) in *.
  assert (H5 := exp_ineq1_le e). assert (H6 := exp_ineq1_le eps).
  assert (H7 : exp e * exp (- e) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  exists (coin_unless_empty delta), (coin_unless_empty t).
  split; [|split; [|split; [|split; [|split]]]].
  - intros [|]; apply coin_law; lra.
  - intros [|]; apply coin_law; lra.
  - intros [|] [|] _; simpl; unfold coin; try nra.
  - intros [|] [|] _; simpl; unfold coin; nra.
  - intros D D' _ S. unfold prob, coin_unless_empty; simpl.
    assert (0 <= (1 - delta) * (exp eps - 1)) by nra.
    assert (0 <= delta * (exp eps - 1)) by nra.
    destruct D, D'; destruct (S true), (S false); unfold coin; nra.
  - intros eps' delta' H.
    specialize (H [tt] [] ltac:(left; now exists [], tt, []) (fun b => b)).
    unfold prob in H; simpl in H. lra.
Qed.

(* claim: KL-S4.4-inexact | printed | refutes
   Paper: a policy within e of an (ε, δ) DP one in both max divergences is
   (ε + 2 e, δ) DP. Here: false for every ε ≥ 0, e > 0 and 0 < δ < 1. *)
Theorem KL_S4_4_inexact_false :
  forall eps e delta, 0 <= eps -> 0 < e -> 0 < delta < 1 ->
  ~ (forall X A (outcomes : list A) (exact rough : list X -> A -> R),
       (forall D, law outcomes (exact D)) -> (forall D, law outcomes (rough D)) ->
       (forall D, max_divergence_le outcomes (exact D) (rough D) e) ->
       (forall D, max_divergence_le outcomes (rough D) (exact D) e) ->
       dp add_remove outcomes eps delta exact ->
       dp add_remove outcomes (eps + 2 * e) delta rough).
Proof.
  intros eps e delta Heps He Hd H.
  destruct (KL_S4_4_inexact_attained eps e delta) as (exact & rough & L1 & L2 & D1 & D2 & P & Q);
    try lra.
  specialize (Q _ _ (H _ _ _ _ _ L1 L2 D1 D2 P)).
  assert (H1 := exp_ineq1_le e). assert (H2 : 0 < exp (- e)) by apply exp_pos.
  assert (Hinv : exp e * exp (- e) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (exp (- e) < 1) by nra.
  assert (delta < inexact_delta e delta) by (apply Rmin_glb_lt; nra). lra.
Qed.
