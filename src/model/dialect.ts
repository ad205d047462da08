// What this endpoint has shown to understand: found out by asking, remembered for the life of the model object.

/** Parts of a request that can be left out or said otherwise. */
export type Feature = 'tools' | 'tool_choice' | 'stream_options' | 'response_format';

export interface Dialect {
  /** `json`: tools are described in the system text, and called in a JSON answer. */
  tools: 'native' | 'json';
  readonly leftOut: Set<Feature>;
  /** A call came as a call, so that text without one is meant as text. */
  hasCalled: boolean;
  /** Answers without a call while none had ever come. */
  textAnswers: number;
}

/** With the first text alone a model may be thinking aloud; with the second it most likely cannot call. */
const TEXT_ANSWERS_UNTIL_JSON = 2;

export function newDialect(): Dialect {
  return { tools: 'native', leftOut: new Set(), hasCalled: false, textAnswers: 0 };
}

/** From now on without `feature`. */
export function leaveOut(dialect: Dialect, feature: Feature): void {
  if (feature === 'tools') dialect.tools = 'json';
  else dialect.leftOut.add(feature);
}

/** Takes note of a text where a call was expected; true: the model cannot call, and must be asked in JSON mode. */
export function seemsUnableToCall(dialect: Dialect): boolean {
  dialect.textAnswers += 1;
  return !dialect.hasCalled && dialect.textAnswers >= TEXT_ANSWERS_UNTIL_JSON;
}
