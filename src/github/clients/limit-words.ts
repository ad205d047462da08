// How a limit of GitHub is told to a person.

export function limited(until: Date): string {
  return `GitHub's rate limit is used up until ${minuteOf(until)} UTC; it goes on by itself then.`;
}

export function minuteOf(moment: Date): string {
  return moment.toISOString().slice(0, 16).replace('T', ' ');
}
