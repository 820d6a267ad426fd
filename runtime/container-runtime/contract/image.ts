/** An image that the runtime has. */
export interface Image {
  readonly id: string
  /** References that name it. */
  readonly tags: readonly string[]
  readonly digests: readonly string[]
  readonly bytes: number
  /** Whether the runtime needs it for itself. */
  readonly isPinned?: boolean
}

/** What a registry is told of who pulls. */
export interface ImageCredentials {
  readonly username?: string
  readonly password?: string
  /** The registry that the credentials are for. */
  readonly server?: string
  readonly identityToken?: string
  readonly registryToken?: string
}

/** A file system on which images are kept. */
export interface ImageFileSystem {
  readonly mountpoint: string
  /** What images take there. */
  readonly usedBytes: number
}
