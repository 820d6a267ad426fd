import { readFileSync } from 'node:fs'
import type { ApiServerOptions } from '../../runtime/apiserver/apiserver.ts'
import { readCertificates, readPair } from '../../runtime/certificates/certificates.ts'
import type { Options } from '../../runtime/config/config.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'

/** How the agents of nodes are reached, as the flags of `agent` say. */
export function nodeSettings(
  options: Options,
  agent: string,
): Required<Pick<ApiServerOptions, 'nodes'>> {
  const { authority, certFile, keyFile } = filesOf(options, agent)
  const read = (file: string) => readFileSync(file, 'utf8')
  return {
    nodes: {
      ...(authority !== '' && { authorities: read(authority) }),
      ...(certFile !== '' && { certificate: { cert: read(certFile), key: read(keyFile) } }),
      addressTypes: options.strings(`${agent}-preferred-address-types`),
      connectMs: options.milliseconds(`${agent}-timeout`),
    },
  }
}

/** Everything that is wrong with the files that the flags name. */
export function nodeProblems(options: Options, agent: string): readonly string[] {
  const { authority, certFile, keyFile } = filesOf(options, agent)
  const [certFlag, keyFlag] = [`--${agent}-client-certificate`, `--${agent}-client-key`]
  if ((certFile === '') !== (keyFile === '')) {
    return [`${certFlag} and ${keyFlag} belong together: give both, or neither`]
  }
  const checked = (flags: string, check: () => readonly string[]): readonly string[] => {
    try {
      return check().map((one) => `${flags}: ${one}`)
    } catch (error) {
      return [`${flags}: ${errorText(error)}`]
    }
  }
  const read = (file: string) => readFileSync(file, 'utf8')
  return [
    ...(authority === ''
      ? []
      : checked(
          `--${agent}-certificate-authority`,
          () => readCertificates(read(authority)).problems,
        )),
    ...(certFile === ''
      ? []
      : checked(
          `${certFlag}, ${keyFlag}`,
          () => readPair({ cert: read(certFile), key: read(keyFile) }).problems,
        )),
  ]
}

function filesOf(options: Options, agent: string) {
  return {
    authority: options.string(`${agent}-certificate-authority`),
    certFile: options.string(`${agent}-client-certificate`),
    keyFile: options.string(`${agent}-client-key`),
  }
}
