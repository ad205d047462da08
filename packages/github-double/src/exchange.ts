// One request to the double as it is remembered, and with its answer as it is held against GitHub's description.

export interface ApiExchange {
  readonly method: string;
  /** Without base address and query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly requestBody: unknown;
  readonly status: number;
  readonly responseBody: unknown;
}

/** One request that the double got. */
export interface SeenRequest {
  readonly method: string;
  /** Without the base path, with its query. */
  readonly path: string;
  readonly tokenKind: 'none' | 'app' | 'client' | 'installation' | 'user' | 'bad';
  /** Of an installation token; empty otherwise. */
  readonly permissions: Readonly<Record<string, string>>;
  /** Of an installation token: ids it is limited to; null: all of the installation. */
  readonly repositoryIds: readonly number[] | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** As the double answered it; 0: no answer was given (hang, reset). */
  readonly status: number;
}
