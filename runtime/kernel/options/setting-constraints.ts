/**
 * What several settings must fulfil together, and what is said about one beyond its type: of the fields of a
 * configuration struct, or of the flags of a program. A setting counts as set if somebody gave it a value that is not the
 * zero of its type. A field of a struct may be a path such as `Generic.Port`.
 */
export type SettingConstraint =
  /** While it is set, none of the others is. */
  | { readonly is: 'exclusive'; readonly field: string; readonly others: readonly string[] }
  /** While it is set (to that value, or has it among its own), the other is set too. */
  | {
      readonly is: 'needs'
      readonly field: string
      readonly value?: string
      readonly other: string
    }
  /** Both are set or neither. */
  | { readonly is: 'together'; readonly field: string; readonly other: string }
  /** The only items that a list may have, or keys that a map may have. */
  | { readonly is: 'members'; readonly field: string; readonly values: readonly string[] }
  /** Each text is of that format: the value, the items of a list, the values of a map. */
  | { readonly is: 'format'; readonly field: string; readonly format: TextFormat }
  /** The only words that a list may have; a star stands for many of them, and a hyphen before one turns it off. */
  | { readonly is: 'switches'; readonly field: string; readonly values: readonly string[] }
  /**
   * A map of labels. Those of the domains, and of what is under them, must be among the values, or of what is under the
   * prefixes.
   */
  | {
      readonly is: 'labels'
      readonly field: string
      readonly domains: readonly string[]
      readonly prefixes: readonly string[]
      readonly values: readonly string[]
    }
  /** Only set (to that value) while the feature gate is on. */
  | { readonly is: 'gate'; readonly field: string; readonly value?: string; readonly gate: string }

/** What a text may have to be beyond its type, in words. */
export const textFormats = {
  'certificate-key': 'CERT,KEY, with domains after a colon if need be',
  cidrs: 'an address range such as 10.0.0.0/16, or one of each family',
  cpus: 'a list of CPUs such as 0-3,5',
  duration: 'a duration such as 30s or 1h0m0s',
  ip: 'an IP address',
  ips: 'an IP address, or one of each family',
  quantity: 'a quantity of 0 or more, such as 100, 1.5G or 256Mi',
  release: 'MAJOR.MINOR',
  threshold: 'a quantity, or a percentage up to 100%',
} as const
export type TextFormat = keyof typeof textFormats

/** The keys of each constraint beside `is` and `field`; a question mark after those that may be left out. */
export const constraintShapes: Readonly<Record<SettingConstraint['is'], readonly string[]>> = {
  exclusive: ['others'],
  needs: ['value?', 'other'],
  together: ['other'],
  members: ['values'],
  format: ['format'],
  switches: ['values'],
  labels: ['domains', 'prefixes', 'values'],
  gate: ['value?', 'gate'],
}
