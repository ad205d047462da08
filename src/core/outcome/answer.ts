// What the metrics record about each answer of API and pages.

interface AnsweredRequest {
  readonly method: string;
  /** The pattern, such as `/issues/:issueId`; never an address, which may contain private text. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds until the answer began. */
  readonly ms: number;
}

export type RecordAnswer = (answered: AnsweredRequest) => void;
