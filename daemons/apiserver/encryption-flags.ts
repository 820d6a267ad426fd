import type { EncryptionConfiguration } from '../../generated/config/encryption/v1.ts'
import { type ConfigKinds, configFiles, type Options } from '../../runtime/config/config.ts'
import { type ConfigFileNode, findingMessages, readFileAs } from './config-file.ts'

/** What the flags of encryption say. With problems, the server must not start. */
export interface EncryptionSettings {
  readonly encryption?: EncryptionConfiguration
  readonly problems: readonly string[]
}

const flag = '--encryption-provider-config'

/** Reads the file of `--encryption-provider-config`. Nothing is loaded without one. */
export async function encryptionSettings(
  options: Options,
  configKinds: ConfigKinds,
): Promise<EncryptionSettings> {
  const file = options.string('encryption-provider-config')
  if (file !== '') return readEncryptionFile(file, configKinds)
  const lonely = options.boolean('encryption-provider-config-automatic-reload')
  return { problems: lonely ? [`${flag}-automatic-reload needs ${flag}`] : [] }
}

/** What a file of encryption says, and everything that is wrong with it. */
export async function readEncryptionFile(
  file: string,
  configKinds: ConfigKinds,
): Promise<EncryptionSettings> {
  const kind = 'EncryptionConfiguration'
  const { value, body, findings } = await readFileAs(file, { kind, flag, configKinds })
  if (value === undefined || body === undefined || findings.length > 0) {
    return { problems: findingMessages(findings) }
  }
  const encryption = value as EncryptionConfiguration
  const { encryptionProblems } = await import('../../runtime/encryption/encryption.ts')
  const { followPath } = await configFiles()
  const problems = encryptionProblems(encryption).map(({ path, message }) => {
    const { node } = followPath(body as ConfigFileNode, path)
    return `${node.at.text}: ${path}: ${message}`
  })
  return problems.length > 0 ? { problems } : { encryption, problems }
}
