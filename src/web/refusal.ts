// A refusal: thrown by whatever takes a request for a page, shown as a page.

export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503;

/** Where the person goes on, on the page of a refusal. */
export interface WayOn {
  readonly href: string;
  readonly text: string;
}

/** Thrown by pages; `detail` is for the person, with the repair, and holds nothing from outside that was not made inert. */
export class WebRefusal extends Error {
  readonly status: RefusalStatus;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: to the projects. */
  readonly wayOn: WayOn | null;

  constructor(
    status: RefusalStatus,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    wayOn: WayOn | null = null,
  ) {
    super(detail);
    this.status = status;
    this.detail = detail;
    this.headers = headers;
    this.wayOn = wayOn;
  }
}

/** Foreign and absent are the same. */
export function refuseAbsentPage(): never {
  throw absentPage();
}

export function absentPage(): WebRefusal {
  return new WebRefusal(404, 'There is nothing at this address, or nothing that you may see.');
}
