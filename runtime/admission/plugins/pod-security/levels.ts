/** The levels of the pod security standards, from unrestricted to what is known to be harmless. */
export const levels = ['privileged', 'baseline', 'restricted'] as const
/** A level of the pod security standards. */
export type Level = (typeof levels)[number]

/** A level as it was in a release. */
export interface LevelVersion {
  readonly level: Level
  /** The minor number of the release; Infinity for the latest. */
  readonly version: number
}

/** The latest version. */
export const latest = Number.POSITIVE_INFINITY

/** Parses `latest` and `v1.27`; undefined for everything else. */
export function parseVersion(text: string): number | undefined {
  if (text === 'latest') return latest
  const minor = /^v1\.(0|[1-9][0-9]{0,5})$/.exec(text)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

/** Prints a level with its version: `restricted:latest`, `baseline:v1.27`. */
export function printLevel({ level, version }: LevelVersion): string {
  return `${level}:${version === latest ? 'latest' : `v1.${version}`}`
}

/** True if two levels admit the same pods. All versions of privileged do. */
export function isSameLevel(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && (a.level === 'privileged' || a.version === b.version)
}

/** A number that is larger for stricter levels. */
export function levelOrder({ level }: LevelVersion): number {
  return levels.indexOf(level)
}
