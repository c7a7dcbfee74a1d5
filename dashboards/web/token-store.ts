const KEY = 'evenshare.token';

/** The token of this tab: kept in its session storage, gone when it closes. */
export function storedToken(): string | null {
  return sessionStorage.getItem(KEY);
}

export function storeToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** Takes `#token=…` out of the address, where it would stay visible and be copied along. True when there was one. */
export function takeTokenFromAddress(): boolean {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return false;
  storeToken(token);
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return true;
}
