interface Shop {
  readonly url: string;
  readonly log: readonly { readonly method: string; readonly path: string; readonly status: number }[];
  readonly close: () => Promise<void>;
}
export const CUSTOMER: { readonly user: string; readonly password: string };
export const openFormShop: () => Promise<Shop>;
export const openLinkShop: () => Promise<Shop>;
