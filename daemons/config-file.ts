import {
  type ConfigFinding,
  type ConfigKinds,
  configFiles,
  type DeclaredValue,
  FeatureGates,
} from '../runtime/config/config.ts'

/** A part of a configuration file, with its positions. */
export type ConfigFileNode = NonNullable<DeclaredValue['body']>

/** What a configuration file is read as. */
export interface ConfigFileRequest {
  /** The name of the kind that it has to be. */
  readonly kind: string
  /** The flag that names it, for messages: `--admission-control-config-file`. */
  readonly flag: string
  readonly configKinds: ConfigKinds
}

/** Reads a file as one of a kind, in any of its versions. The code that does is loaded with the first file. */
export async function readFileAs(
  file: string,
  { kind, flag, configKinds }: ConfigFileRequest,
): Promise<DeclaredValue> {
  const { readConfigFile, parseSource } = await configFiles()
  const { sources, findings } = await readConfigFile(file, 'file', { origin: 'flag', text: flag })
  const [source] = sources
  if (source === undefined) return { findings }
  const opened = await parseSource(source)
  if (opened.root === undefined || opened.findings.length > 0) return { findings: opened.findings }
  return readNodeAs(opened.root, kind, configKinds)
}

/** Reads a part of a file as a kind. */
export async function readNodeAs(
  node: ConfigFileNode,
  kind: string,
  configKinds: ConfigKinds,
): Promise<DeclaredValue> {
  const { readOfKind } = await configFiles()
  return readOfKind(configKinds, node, kind, new FeatureGates([]))
}

/** Findings as lines, without the lines of the file: those may hold secrets. */
export function findingMessages(findings: readonly ConfigFinding[]): readonly string[] {
  return findings.map(({ location: place, message }) => `${place.text}: ${message}`)
}
