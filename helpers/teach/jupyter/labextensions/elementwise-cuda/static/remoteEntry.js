// Colour a cell as C++ if its first line writes a CUDA or C++ file; JupyterLab takes every code
// cell for Python, where an apostrophe in a comment turns the rest of the line red.
//
// Written by hand, so that the course needs no node.js: JupyterLab asks a prebuilt extension for
// no more than init() and get(), the two functions of a module federation container.
(() => {
  "use strict";
  const WRITES_CUDA = /^\s*%%writefile\s+(-a\s+)?\S+\.(cu|cuh|h|hpp|cpp|cc)\s*$/;
  const CPP = "text/x-c++src";
  let modules;

  const load = async (name) => {
    const [offer] = Object.values(modules[name]);
    return (await offer.get())();
  };

  const writesCuda = (model) =>
    WRITES_CUDA.test(model.sharedModel.getSource().split("\n", 1)[0]);

  function colour(notebook, model) {
    if (model.type !== "code") return;
    const update = () => {
      if (model.isDisposed) return;
      if (writesCuda(model)) {
        if (model.mimeType !== CPP) model.mimeType = CPP;
      } else if (model.mimeType === CPP) {
        model.mimeType = notebook.codeMimetype;
      }
    };
    model.contentChanged.connect(update);
    model.mimeTypeChanged.connect(update); // a kernel that starts sets every cell's to Python
    update();
  }

  function watch(notebook) {
    let watched = null;
    const cells = (list, change) => {
      for (const model of change.newValues ?? []) colour(notebook, model);
    };
    const all = () => {
      if (!notebook.model || notebook.model === watched) return;
      watched = notebook.model;
      for (const model of watched.cells) colour(notebook, model);
      watched.cells.changed.connect(cells);
    };
    notebook.modelChanged.connect(all);
    all();
  }

  async function extension() {
    const { INotebookTracker } = await load("@jupyterlab/notebook");
    const plugin = {
      id: "elementwise-cuda:plugin",
      description: "Colours cells that write a CUDA file as C++.",
      autoStart: true,
      requires: [INotebookTracker],
      activate: (_, tracker) => {
        tracker.forEach((panel) => watch(panel.content));
        tracker.widgetAdded.connect((_, panel) => watch(panel.content));
      },
    };
    return () => ({ __esModule: true, default: plugin });
  }

  const containers = (window._JUPYTERLAB = window._JUPYTERLAB || {});
  containers["elementwise-cuda"] = {
    init: (scope) => {
      modules = scope;
    },
    get: extension,
  };
})();
