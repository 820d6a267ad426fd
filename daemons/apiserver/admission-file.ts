import { dirname, resolve } from 'node:path'
import type { AdmissionConfiguration } from '../../generated/config/apiserver/v1.ts'
import { configurablePlugin, type PluginSettings } from '../../runtime/apiserver/apiserver.ts'
import { type ConfigKinds, configFiles, type DeclaredValue } from '../../runtime/config/config.ts'
import { type ConfigFileNode, findingMessages, readFileAs, readNodeAs } from '../config-file.ts'

/** What the file says, and everything that is wrong with it. */
export interface AdmissionFile {
  readonly settings: PluginSettings
  readonly problems: readonly string[]
}

type Plugin = NonNullable<AdmissionConfiguration['plugins']>[number]

/**
 * Reads the file of `--admission-control-config-file` and the files that it names, whose paths start at its folder
 * (supplement Q-01). Without a file there are no settings.
 */
export async function readAdmissionFile(file: string, kinds: ConfigKinds): Promise<AdmissionFile> {
  if (file === '') return { settings: {}, problems: [] }
  const { value, body, findings } = await readAs(file, 'AdmissionConfiguration', kinds)
  const { plugins = [] } = (value ?? {}) as AdmissionConfiguration
  const parts = await Promise.all(
    plugins.map((plugin, index) => readPlugin({ file, body: body!, index }, plugin, kinds)),
  )
  const settings = parts.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))
  return {
    settings: Object.fromEntries(settings),
    problems: [...findingMessages(findings), ...parts.flatMap(({ problems }) => problems)],
  }
}

/** Where an entry of the file stands. */
interface PluginEntry {
  readonly file: string
  readonly body: ConfigFileNode
  readonly index: number
}

/** What was read of one entry. */
interface PluginResult {
  readonly name: string
  readonly value?: unknown
  readonly problems: readonly string[]
}

/** Reads the configuration of one plugin: in place, or in the file that `path` names. */
async function readPlugin(
  spot: PluginEntry,
  plugin: Plugin,
  kinds: ConfigKinds,
): Promise<PluginResult> {
  const { name } = plugin
  const { followPath: follow } = await configFiles()
  const { node } = follow(spot.body, `plugins[${spot.index}].configuration`)
  const place = follow(spot.body, `plugins[${spot.index}].name`).node.at.text
  const settable = configurablePlugin(name)
  if (typeof settable === 'string') return { name, problems: [`${place}: ${settable}`] }
  const { path = '', configuration } = plugin
  if (path === '' && configuration === undefined) return { name, problems: [] }
  const { value, findings } = await (path === ''
    ? readNodeAs(node, settable.kind, kinds)
    : readAs(resolve(dirname(spot.file), path), settable.kind, kinds))
  return { name, ...(value !== undefined && { value }), problems: findingMessages(findings) }
}

function readAs(file: string, kind: string, configKinds: ConfigKinds): Promise<DeclaredValue> {
  return readFileAs(file, { kind, flag: '--admission-control-config-file', configKinds })
}
