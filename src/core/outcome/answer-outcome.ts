// What an investigation ends with.

export type Outcome =
  | 'code_fix'
  | 'action_recommended'
  | 'needs_information'
  | 'already_fixed'
  | 'not_a_bug'
  | 'inconclusive'
  | 'facts_only';

/** Whether it says more than where to look. */
export function hasCause({ analysis: { outcome } }: { readonly analysis: { readonly outcome: Outcome } }): boolean {
  return outcome !== 'facts_only' && outcome !== 'inconclusive' && outcome !== 'needs_information';
}
