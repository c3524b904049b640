(* Written by `make proofs`: on what each theorem rests. *)
From DPBandits Require Import General KL_Lemma1 KL_Theorem1 KL_Theorem1_approx HU_Theorem8 FL_LemmaE1 US_N1 HU_Theorem8_repaired KL_Linear KL_Theorem3 KL_Composition FL_Peeling.

Print Assumptions KL_P1a.
Print Assumptions KL_P1b_false.
Print Assumptions KL_P1b_no_conversion.
Print Assumptions KL_S4_4_inexact_repaired.
Print Assumptions KL_S4_4_inexact_attained.
Print Assumptions KL_S4_4_inexact_false.
Print Assumptions KL_L1_pure.
Print Assumptions KL_L1_partition_repaired.
Print Assumptions KL_L1_partition_everywhere.
Print Assumptions KL_L1_partition_false.
Print Assumptions KL_T1_pure_repaired.
Print Assumptions KL_T1_pure.
Print Assumptions KL_T1_approx_false.
Print Assumptions KL_C1_false.
Print Assumptions HU_T8_false.
Print Assumptions FL_LE_1.
Print Assumptions US_N1_false.
Print Assumptions US_N1_repaired.
Print Assumptions HU_T8_repaired.
Print Assumptions KL_T2_pure_appendix_false.
Print Assumptions KL_T2_approx_false.
Print Assumptions KL_C2_false.
Print Assumptions KL_T3_pure_false.
Print Assumptions KL_T3_approx_false.
Print Assumptions KL_T4_pure_false.
Print Assumptions KL_T4_approx_false.
Print Assumptions KL_C3_false.
Print Assumptions KL_S4_4_composition_pure.
Print Assumptions KL_S4_4_composition_false.
Print Assumptions FL_LD_1_false.
Print Assumptions FL_LD_2_false.
