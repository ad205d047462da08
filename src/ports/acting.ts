// How an act of an account is done: once only, and by whose hand.

export interface Counted {
  /** A key that this use uses up, in the same transaction; remembered until it expires. Absent: it may be done any number of times. */
  readonly once?: { readonly hash: string; readonly expiresAt: string };
}

export interface Acting {
  /** True: at the terminal by the operator, in the place of the person; the audit log says so. */
  readonly byOperator?: boolean;
}
