//! Loading, storing and deleting names: from where a name lives to the instruction for that.
use super::{
    Compiler, Done,
    scope::{Kind, Place},
};
use crate::{
    ast::Name,
    code::{Constant, Op},
};

/// `__name` inside a class is `_Class__name`, unless it ends in two underscores or is dotted.
pub(super) fn mangle(class: Option<&Name>, name: &Name) -> Name {
    let Some(class) = class else {
        return name.clone();
    };
    if !name.starts_with("__") || name.ends_with("__") || name.contains('.') {
        return name.clone();
    }
    match class.trim_start_matches('_') {
        "" => name.clone(),
        class => format!("_{class}{name}").into(),
    }
}

/// How a name is reached from here.
enum Access {
    Local(u32),
    Cell(u32),
    Global(u32),
    Name(u32),
}

impl Compiler<'_> {
    pub(super) fn mangled(&self, name: &Name) -> Name {
        mangle(self.unit.private.as_ref(), name)
    }

    /// The index of an attribute or a name to import.
    pub(super) fn attribute(&mut self, name: &Name) -> u32 {
        let name = self.mangled(name);
        self.unit.name(&name)
    }

    fn access(&mut self, name: &Name) -> Access {
        let name = self.mangled(name);
        let in_function = self.unit.kind.is_function();
        match self.scopes.place(self.unit.scope, &name) {
            Place::Local if in_function => Access::Local(self.unit.local(&name)),
            Place::Cell | Place::Free => Access::Cell(self.unit.cell(&name)),
            Place::GlobalImplicit if in_function => Access::Global(self.unit.name(&name)),
            Place::GlobalExplicit => Access::Global(self.unit.name(&name)),
            Place::Local | Place::GlobalImplicit => Access::Name(self.unit.name(&name)),
        }
    }

    pub(super) fn load(&mut self, name: &Name) {
        if &**name == "__debug__" {
            return self.constant(Constant::True);
        }
        let op = match self.access(name) {
            Access::Local(at) => Op::LoadLocal(at),
            Access::Cell(at) if self.unit.kind == Kind::Class => Op::LoadClassCell(at),
            Access::Cell(at) => Op::LoadCell(at),
            Access::Global(at) => Op::LoadGlobal(at),
            Access::Name(at) => Op::LoadName(at),
        };
        self.emit(op);
    }

    pub(super) fn store(&mut self, name: &Name) -> Done {
        self.allowed(name, "assign to")?;
        let op = match self.access(name) {
            Access::Local(at) => Op::StoreLocal(at),
            Access::Cell(at) => Op::StoreCell(at),
            Access::Global(at) => Op::StoreGlobal(at),
            Access::Name(at) => Op::StoreName(at),
        };
        self.emit(op);
        Ok(())
    }

    pub(super) fn delete(&mut self, name: &Name) -> Done {
        self.allowed(name, "delete")?;
        let op = match self.access(name) {
            Access::Local(at) => Op::DeleteLocal(at),
            Access::Cell(at) => Op::DeleteCell(at),
            Access::Global(at) => Op::DeleteGlobal(at),
            Access::Name(at) => Op::DeleteName(at),
        };
        self.emit(op);
        Ok(())
    }

    pub(super) fn allowed(&self, name: &Name, deed: &str) -> Done {
        if &**name == "__debug__" {
            return self.error(format!("cannot {deed} __debug__"));
        }
        Ok(())
    }
}
