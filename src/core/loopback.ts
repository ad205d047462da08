// Names by which only this machine reaches itself.

/** Of a host with or without its port, as the header Host has it. */
export function isLoopbackAuthority(authority: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(authority);
}
