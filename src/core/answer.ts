// What the metrics learn about each answer of the API and of the pages.

interface AnsweredRequest {
  readonly method: string;
  /** The pattern, such as `/issues/:issueId`; never an address, which may contain text that must not be recorded. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds until the answer began; a streamed one continues after that. */
  readonly ms: number;
}

export type TellAnswered = (answered: AnsweredRequest) => void;
