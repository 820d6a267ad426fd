/** What happened to an object, for people who look at it. */
export interface EventFacts {
  /** `Warning` for what a person may have to act on. */
  readonly type: 'Normal' | 'Warning'
  /** Why, in one word that programs compare: `Published`, `QuotaExceeded`. */
  readonly reason: string
  /** What was done, or was to be done, in one word: `Publish`. Default: none. */
  readonly action?: string
  /** What happened, in a sentence. Beyond 1024 bytes it is cut. */
  readonly message: string
}
