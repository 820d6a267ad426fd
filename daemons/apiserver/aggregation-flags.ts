import { readFile } from 'node:fs/promises'
import type { ApiServerOptions } from '../../runtime/apiserver/apiserver.ts'
import { readPair } from '../../runtime/certificates/certificates.ts'
import type { Options } from '../../runtime/config/config.ts'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'

/** How requests get to the servers of other group versions. */
export type AggregationSettings = Required<Pick<ApiServerOptions, 'aggregation'>>

const [certFlag, keyFlag] = ['proxy-client-cert-file', 'proxy-client-key-file']

/** As the flags say. */
export function aggregationSettings(options: Options): AggregationSettings {
  const [certFile, keyFile] = [options.string(certFlag), options.string(keyFlag)]
  return {
    aggregation: {
      ...(certFile !== '' && { certificate: { certFile, keyFile } }),
      routing: options.boolean('enable-aggregator-routing') ? 'endpoints' : 'cluster',
      passesRedirects: !options.boolean('aggregator-reject-forwarding-redirect'),
    },
  }
}

/** Everything that is wrong with the flags, and with the files that they name. */
export async function aggregationProblems(options: Options): Promise<readonly string[]> {
  const [certFile, keyFile] = [options.string(certFlag), options.string(keyFlag)]
  if (certFile === '' && keyFile === '') return []
  if (certFile === '' || keyFile === '') {
    return [`--${certFlag} and --${keyFlag} belong together: give both, or neither`]
  }
  const read = (file: string) => readFile(file, 'utf8')
  try {
    const [cert, key] = [await read(certFile), await read(keyFile)]
    return readPair({ cert, key }).problems.map((one) => `${certFile}, ${keyFile}: ${one}`)
  } catch (error) {
    return [`--${certFlag}, --${keyFlag}: ${errorText(error)}`]
  }
}
