import { readFile } from 'node:fs/promises'
import type { CSRSigningControllerConfiguration } from '../../generated/config/manager/v1alpha1.ts'
import { readPair } from '../../runtime/certificates/certificates.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'

/** What is wrong with the files of the authorities that sign requests. */
export async function signingProblems(
  configuration: CSRSigningControllerConfiguration,
): Promise<readonly string[]> {
  const { ClusterSigningCertFile, ClusterSigningKeyFile } = configuration
  const pairs = [
    { CertFile: ClusterSigningCertFile, KeyFile: ClusterSigningKeyFile },
    configuration.OrchletServingSignerConfiguration,
    configuration.OrchletClientSignerConfiguration,
    configuration.OrchAPIServerClientSignerConfiguration,
    configuration.LegacyUnknownSignerConfiguration,
  ]
  const named = pairs.filter(({ CertFile, KeyFile }) => CertFile !== '' && KeyFile !== '')
  const problems = await Promise.all(
    named.map(({ CertFile, KeyFile }) => pairProblems(CertFile, KeyFile)),
  )
  return problems.flat()
}

async function pairProblems(certFile: string, keyFile: string): Promise<readonly string[]> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')])
    const { problems } = readPair({ cert, key })
    return problems.map((one) => `the authority of ${certFile} and ${keyFile}: ${one}`)
  } catch (error) {
    return [`an authority that signs: ${errorText(error)}`]
  }
}
