// Buttons beside the listed rows: answers are kept here, and saved as a file when asked for.
(() => {
  const form = JSON.parse(document.getElementById("answers-form").textContent);
  const answers = new Map(form.answers);
  const groups = [...document.querySelectorAll(".answer")];
  const status = document.getElementById("answers-status");
  const save = document.getElementById("answers-save");
  let saved = true;

  const show = () => {
    for (const group of groups) {
      for (const button of group.querySelectorAll("button")) {
        const chosen = answers.get(Number(group.dataset.row)) === button.value;
        button.setAttribute("aria-pressed", String(chosen));
      }
    }
    const yes = [...answers.values()].filter((answer) => answer === "yes").length;
    status.textContent = `${answers.size} answered, ${yes} of them yes${saved ? "" : ", not saved yet"}.`;
    save.disabled = answers.size === 0;
  };

  const quoted = (cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

  const text = () => {
    const lines = [form.columns, ...[...answers].map(([row, answer]) => {
      const [name, ...mark] = form.rows[row];
      return [name, answer, ...mark];
    })];
    return lines.map((cells) => cells.map(quoted).join(",") + "\n").join("");
  };

  for (const group of groups) {
    group.addEventListener("click", ({ target }) => {
      if (target.tagName !== "BUTTON") return;
      const row = Number(group.dataset.row);
      if (answers.get(row) === target.value) answers.delete(row);
      else answers.set(row, target.value);
      saved = false;
      show();
    });
  }

  save.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text()], { type: "text/csv" }));
    link.download = form.name;
    link.click();
    URL.revokeObjectURL(link.href);
    saved = true;
    show();
  });

  addEventListener("beforeunload", (event) => { if (!saved) event.preventDefault(); });
  for (const hidden of document.querySelectorAll(".answer, #answers")) hidden.hidden = false;
  show();
})();
