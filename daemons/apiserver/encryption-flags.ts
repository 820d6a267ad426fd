import type { EncryptionConfiguration } from '../../generated/config/encryption/v1.ts'
import type { RunningApiServer } from '../../runtime/apiserver/apiserver.ts'
import {
  type ConfigKinds,
  configFiles,
  followFiles,
  type Options,
} from '../../runtime/config/config.ts'
import type { Clock } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import type { Log } from '../../runtime/observe/observe.ts'
import { type ConfigFileNode, findingMessages, readFileAs } from '../config-file.ts'

/** What the flags of encryption say. With problems, the server must not start. */
export interface EncryptionSettings {
  readonly encryption?: EncryptionConfiguration
  readonly problems: readonly string[]
}

const flag = '--encryption-provider-config'

/** What the file is read with. */
export interface EncryptionFileContext {
  readonly configKinds: ConfigKinds
  readonly platform: Platform
}

/** Reads the file of `--encryption-provider-config`. Nothing is loaded without one. */
export async function encryptionSettings(
  options: Options,
  around: EncryptionFileContext,
): Promise<EncryptionSettings> {
  const file = options.string('encryption-provider-config')
  if (file !== '') return readEncryptionFile(file, around)
  const lonely = options.boolean('encryption-provider-config-automatic-reload')
  return { problems: lonely ? [`${flag}-automatic-reload needs ${flag}`] : [] }
}

/** What a file of encryption says, and everything that is wrong with it. */
async function readEncryptionFile(
  file: string,
  { configKinds, platform }: EncryptionFileContext,
): Promise<EncryptionSettings> {
  const kind = 'EncryptionConfiguration'
  const { value, body, findings } = await readFileAs(file, { kind, flag, configKinds })
  if (value === undefined || body === undefined || findings.length > 0) {
    return { problems: findingMessages(findings) }
  }
  const encryption = value as EncryptionConfiguration
  const { encryptionProblems } = await import('../../runtime/encryption/encryption.ts')
  const { followPath } = await configFiles()
  const problems = encryptionProblems(encryption, platform).map(({ path, message }) => {
    const { node } = followPath(body as ConfigFileNode, path)
    return `${node.at.text}: ${path}: ${message}`
  })
  return problems.length > 0 ? { problems } : { encryption, problems }
}

/** What follows the file is told to, and what takes what it says. */
export interface EncryptionFollowing extends EncryptionFileContext {
  readonly server: RunningApiServer
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** Takes changes of the file over, where the flags say so, until `signal` aborts. */
export async function followEncryption(
  options: Options,
  { server, clock, log, signal, ...around }: EncryptionFollowing,
): Promise<void> {
  const file = options.string('encryption-provider-config')
  if (!options.boolean('encryption-provider-config-automatic-reload') || file === '') return
  let isFirst = true
  const onChange = async (): Promise<void> => {
    if (isFirst) {
      isFirst = false
      return
    }
    await server.replaceEncryption(readAnew(file, around))
  }
  await followFiles([file], { what: 'encryption configuration', onChange, clock, log, signal })
}

async function readAnew(
  file: string,
  around: EncryptionFileContext,
): Promise<EncryptionConfiguration> {
  const { encryption, problems } = await readEncryptionFile(file, around)
  if (encryption === undefined) throw new Error(problems.join('\n'))
  return encryption
}
