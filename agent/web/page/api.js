// Asks the daemon. What has not changed is not sent again (ETag).

const known = new Map(); // path → {tag, data}
const kept = "parityd token";

function headers(more) {
  const token = sessionStorage.getItem(kept);
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

let asked = null; // whoever waits for a token waits for the same one

/** Shows the dialog until a token is given. */
function askToken() {
  const dialog = document.getElementById("ask");
  const form = dialog.querySelector("form");
  asked ??= new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      sessionStorage.setItem(kept, form.querySelector("input").value);
      form.reset();
      dialog.close();
      asked = null;
      resolve();
    };
  });
  if (!dialog.open) dialog.showModal();
  return asked;
}

async function problemOf(response) {
  const body = await response.json().catch(() => ({}));
  return Object.assign(new Error(body.error ?? `status ${response.status}`), { status: response.status });
}

/** The document at a path; the very same object while it has not changed. */
export async function get(path) {
  const before = known.get(path);
  const response = await fetch(path, { cache: "no-store", headers: headers(before ? { "If-None-Match": before.tag } : {}) });
  if (response.status === 401) {
    await askToken();
    return get(path);
  }
  if (response.status === 304) return before.data;
  if (!response.ok) throw await problemOf(response);
  const data = await response.json();
  if (known.size > 50) known.clear();
  known.set(path, { tag: response.headers.get("ETag"), data });
  return data;
}

export async function post(path, body) {
  const response = await fetch(path, {
    method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body),
  });
  if (!response.ok) throw await problemOf(response);
  return response.json();
}
