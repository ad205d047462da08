// What those who run the service are told of each answer of the API and the pages.

interface AnsweredRequest {
  readonly method: string;
  /** The pattern, such as `/issues/:issueId`; never an address. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds until the answer began; one that is streamed goes on after. */
  readonly ms: number;
}

export type TellAnswered = (answered: AnsweredRequest) => void;
