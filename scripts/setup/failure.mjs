/** Ends the set-up. The message says what went wrong and what to do about it. */
export class Failure extends Error {}
