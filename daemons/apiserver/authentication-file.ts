import type { AuthenticationConfiguration } from '../../generated/config/apiserver/v1alpha1.ts'
import {
  certificateProblem,
  loadClaimMapping,
  type TokenIssuerOptions,
} from '../../runtime/apiserver/apiserver.ts'
import { type ConfigKinds, configFiles } from '../../runtime/config/config.ts'
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
