import type { AuthenticationConfiguration } from '../../generated/config/apiserver/v1alpha1.ts'
import {
  certificateProblem,
  loadClaimMapping,
  type TokenIssuerOptions,
} from '../../runtime/apiserver/apiserver.ts'
import {
  type ConfigKinds,
  configFiles,
  type FollowOptions,
  followFiles,
} from '../../runtime/config/config.ts'
import { findingMessages, readFileAs } from '../config-file.ts'

/** The issuers of tokens that a file names, and everything that is wrong with it. */
export interface AuthenticationFile {
  readonly issuers: readonly TokenIssuerOptions[]
  readonly problems: readonly string[]
}

const flag = '--authentication-config'

/** Reads the file of `--authentication-config`; its expressions are compiled. Findings have the line and column of what is wrong. */
export async function readAuthenticationFile(
  file: string,
  configKinds: ConfigKinds,
): Promise<AuthenticationFile> {
  const kind = 'AuthenticationConfiguration'
  const { value, body, findings } = await readFileAs(file, { kind, flag, configKinds })
  if (value === undefined || body === undefined) {
    return { issuers: [], problems: findingMessages(findings) }
  }
  const { jwt } = value as AuthenticationConfiguration
  const { claimMapping } = await loadClaimMapping()
  const { followPath } = await configFiles()
  const problems = jwt.flatMap((issuer, index) => {
    const ca = certificateProblem(issuer.issuer.certificateAuthority ?? '')
    const wrong = [
      ...(ca === undefined ? [] : [{ path: 'issuer.certificateAuthority', message: ca }]),
      ...claimMapping(issuer).problems,
    ]
    return wrong.map(({ path, message }) => {
      const whole = `jwt[${index}].${path}`
      return `${followPath(body, whole).node.at.text}: ${whole}: ${message}`
    })
  })
  return { issuers: jwt.map((issuer) => ({ issuer })), problems }
}

/** Takes the issuers of the file over whenever it has changed. What is wrong with it is logged, and changes nothing. */
export async function followAuthenticationFile(
  file: string,
  configKinds: ConfigKinds,
  following: Pick<FollowOptions, 'clock' | 'log' | 'signal'>,
  take: (issuers: readonly TokenIssuerOptions[]) => void,
): Promise<void> {
  if (file === '') return
  let isFirst = true
  const onChange = async (): Promise<void> => {
    if (isFirst) {
      isFirst = false
      return
    }
    const { issuers, problems } = await readAuthenticationFile(file, configKinds)
    if (problems.length > 0) throw new Error(problems.join('\n'))
    take(issuers)
  }
  await followFiles([file], { ...following, what: 'authentication configuration', onChange })
}
