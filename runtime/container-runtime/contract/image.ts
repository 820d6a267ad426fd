/** An image that the runtime has. */
export interface Image {
  readonly id: string
  /** References that name it. */
  readonly tags: readonly string[]
  readonly digests: readonly string[]
  readonly bytes: number
}
