import { platform } from '../../generated/platform.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'

/** Variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What this process was started with. */
export const processEnvironment = (): Environment => process.env

/** With a value, HTTP/2 is not spoken: the variable of the public clients. */
export const http2Variable = 'DISABLE_HTTP2'

/** How programs of a platform name what they tell each other outside of the wire. */
export interface LocalNames {
  /** `ORCHCONFIG`: the variable with a list of files. */
  readonly configVariable: string
  /** `.orch`: the folder in a home directory whose file `config` is read without being named. */
  readonly homeFolder: string
  /** `ORCH`: the first word of variables with the address of the server, and of what a credential program is told. */
  readonly variablePrefix: string
  /** The folder of a service account in a container. */
  readonly accountFolder: string
}

/** The names of this package's platform, then those of the public ecosystem. */
export function localNames(names: Platform = platform): readonly LocalNames[] {
  const { brand, prefix, domain, publicBrand, publicPrefix, publicDomain } = names
  const own = localNamesOf(brand, prefix, domain)
  const known =
    publicBrand !== undefined && publicPrefix !== undefined && publicDomain !== undefined
  return known ? [own, localNamesOf(publicBrand, publicPrefix, publicDomain)] : [own]
}

function localNamesOf(brand: string, prefix: string, domain: string): LocalNames {
  return {
    configVariable: `${prefix.toUpperCase()}CONFIG`,
    homeFolder: `.${prefix}`,
    variablePrefix: brand.toUpperCase(),
    accountFolder: `/var/run/secrets/${domain}/serviceaccount`,
  }
}
