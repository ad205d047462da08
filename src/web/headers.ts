// The headers that every page has: nothing runs but our one script, nothing is framed, nothing is kept.

export interface HeaderOptions {
  readonly isHttps: boolean;
  /** Beside our own origin, where a form may lead in the end. */
  readonly formTarget?: string;
}

/** Chromium holds the redirect that follows a form against `form-action` too: the sign-in page must name GitHub. */
export function pageHeaders({ isHttps, formTarget = '' }: HeaderOptions): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    `form-action 'self' ${formTarget}`.trim(),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return {
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    // For browsers that know no frame-ancestors.
    'X-Frame-Options': 'DENY',
    // Not `no-referrer`: forms would then be sent with the Origin `null`, and could not be told from those of others.
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cache-Control': 'no-store',
    ...(isHttps ? { 'Strict-Transport-Security': 'max-age=63072000' } : {}),
  };
}
